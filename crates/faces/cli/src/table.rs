//! Columns for people.

use crate::paint::{BOLD, styled};
use unicode_width::UnicodeWidthStr;

/// Rows under headings, each column as wide as its widest cell; the last one is cut where the line would not fit.
pub(crate) fn columns(headings: &[&str], rows: &[Vec<String>], width: usize) -> String {
    let wide = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width());
        cells.chain([headings[column].width()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..headings.len()).map(wide).collect();
    let before_last: usize = widths.iter().take(widths.len().saturating_sub(1)).map(|w| w + 2).sum();
    let room = width.saturating_sub(before_last).max(12);
    let line = |cells: Vec<&str>| {
        let last = cells.len().saturating_sub(1);
        let padded = cells.iter().enumerate().map(|(at, cell)| {
            if at == last {
                cut(cell, room)
            } else {
                format!("{cell}{}", " ".repeat(widths[at] + 2 - cell.width()))
            }
        });
        padded.collect::<String>().trim_end().to_owned()
    };
    let mut out = format!("{}\n", styled(BOLD, &line(headings.to_vec())));
    for row in rows {
        out.push_str(&line(row.iter().map(String::as_str).collect()));
        out.push('\n');
    }
    out
}

/// As much of `text` as fits into `room` columns.
pub(crate) fn cut(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let mut out = String::new();
    for c in text.chars() {
        let with = format!("{out}{c}");
        if with.width() + 1 > room {
            break;
        }
        out = with;
    }
    out + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_text_fits() {
        assert_eq!(cut("short", 10), "short");
        assert_eq!(cut("rather long", 7), "rather…");
        assert_eq!(cut("日本語の名前", 7), "日本語…");
    }

    #[test]
    fn columns_line_up() {
        let rows = vec![vec!["sim:login".to_owned(), "a".to_owned()], vec!["x".to_owned(), "b".to_owned()]];
        let plain = anstream::adapter::strip_str(&columns(&["TARGET", "NAME"], &rows, 80)).to_string();
        assert_eq!(plain, "TARGET     NAME\nsim:login  a\nx          b\n");
    }
}
