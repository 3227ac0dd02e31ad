//! Trees that look like real apps: eight to twelve children, about six levels, a name on most elements, an identifier
//! on a third, a place on the screen for each.

use std::sync::Arc;
use stillpoint_core::Moment;
use stillpoint_core::revise::Mirror;
use stillpoint_core::tree::{Change, Limits, NativeKey, NewNode, Prop, Props, Role, State, Str};

/// A mirror of an app with `nodes` elements. The element with the platform key `n` is the n-th, breadth first.
pub fn mirror(nodes: usize) -> Mirror {
    let mut mirror = Mirror::new(Limits { max_nodes: nodes.max(50_000) * 2, ..Limits::default() });
    mirror.apply(vec![Change::Replace(tree(nodes)), screen()], Moment::START);
    mirror
}

fn screen() -> Change {
    Change::Screen { title: Some("Orders".into()), url: Some("http://127.0.0.1/orders".into()), active: None }
}

/// The whole tree as a backend reads it first.
pub fn tree(nodes: usize) -> NewNode {
    let words = Words::default();
    let parents = parents(nodes);
    let mut has_children = vec![false; nodes];
    for (_, parent) in &parents {
        has_children[*parent] = true;
    }
    let mut made: Vec<Option<NewNode>> = (0..nodes)
        .map(|n| Some(NewNode::new(NativeKey(n as u64), words.props(n, has_children[n]))))
        .collect();
    // From the last to the first, so that each is whole before it is put into its parent.
    for (child, parent) in parents.into_iter().rev() {
        if let (Some(done), Some(above)) = (made[child].take(), made[parent].as_mut()) {
            above.children.push(done);
        }
    }
    let mut root =
        made.swap_remove(0).unwrap_or_else(|| NewNode::new(NativeKey(0), Props::new(Role::Application)));
    put_in_order(&mut root);
    root
}

/// Each child with its parent, breadth first: eight to twelve children for each.
fn parents(nodes: usize) -> Vec<(usize, usize)> {
    let mut pairs = Vec::with_capacity(nodes);
    let mut parent = 0;
    while pairs.len() + 1 < nodes {
        for _ in 0..8 + parent % 5 {
            if pairs.len() + 1 < nodes {
                pairs.push((pairs.len() + 1, parent));
            }
        }
        parent += 1;
    }
    pairs
}

fn put_in_order(node: &mut NewNode) {
    node.children.reverse();
    node.children.iter_mut().for_each(put_in_order);
}

/// What backends say again and again, said once.
struct Words {
    native: Vec<(Role, Str)>,
    click: Arc<[Str]>,
}

impl Default for Words {
    fn default() -> Self {
        let native = Role::ALL.iter().map(|r| (*r, Str::from(format!("native {r}")))).collect();
        Words { native, click: Arc::new(["click".into()]) }
    }
}

impl Words {
    fn props(&self, n: usize, is_container: bool) -> Props {
        let role = role(n, is_container);
        let mut props = Props::new(role)
            .with(Prop::NativeRole(self.native.iter().find(|(r, _)| *r == role).map(|(_, w)| w.clone())))
            .state(State::Enabled, true)
            .state(State::Visible, true)
            .state(State::OnScreen, n < 2048)
            .at((n % 12) as i32 * 90, (n / 12 % 700) as i32 * 24, 88, 22);
        if let Some(label) = label(n, role) {
            props = props.labelled(&label);
        }
        if n.is_multiple_of(3) {
            props = props.with(Prop::StableId(Some(format!("item_{n}").into())));
        }
        match role {
            Role::Textbox => {
                props.with(Prop::Value(Some(format!("value {n}").into()))).state(State::Editable, true)
            }
            Role::Checkbox => props.state(State::Checked, n.is_multiple_of(2)),
            Role::Button => props.with(Prop::Actions(self.click.clone())),
            _ => props,
        }
    }
}

fn role(n: usize, is_container: bool) -> Role {
    match (n, is_container) {
        (0, _) => Role::Application,
        (1..=8, _) => Role::Window,
        (_, true) => [Role::Group, Role::List, Role::Panel, Role::Toolbar, Role::Row][n % 5],
        (_, false) => {
            [Role::Text, Role::Button, Role::Text, Role::Link, Role::Textbox, Role::Checkbox, Role::Button]
                [n % 7]
        }
    }
}

/// The name of the n-th element: four in five have one.
fn label(n: usize, role: Role) -> Option<String> {
    let named = !n.is_multiple_of(5) || role == Role::Button;
    let word = match role {
        Role::Button => "Save",
        Role::Link => "Open order",
        Role::Textbox => "Quantity",
        Role::Checkbox => "Select order",
        Role::Text => "Customer",
        _ => "Section",
    };
    named.then(|| format!("{word} {n}"))
}
