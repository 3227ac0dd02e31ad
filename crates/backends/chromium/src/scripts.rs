//! What is run on an element, in the observer's world, where the browser has no input for it.

/// Gets an element ready for keys: who has the focus instead of it, by name, for a page may pass it on; if nobody has, all that it holds is
/// selected where it is to be replaced. The editor around an element may have it.
pub(crate) const TAKE_KEYS: &str = "function(replace) {
  const at = this.getRootNode().activeElement;
  if (at && at !== this && !this.contains(at) && !(at.isContentEditable && at.contains(this))) {
    return at.getAttribute('aria-label') || (at.labels && at.labels[0] && at.labels[0].textContent.trim()) || at.id || at.localName;
  }
  if (!replace) return;
  if (typeof this.select === 'function') { this.select(); return; }
  const range = this.ownerDocument.createRange();
  range.selectNodeContents(this);
  const selection = this.ownerDocument.getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
}";

/// Chooses an option of a native list.
pub(crate) const CHOOSE_OPTION: &str = "function() {
  const list = this.closest('select');
  if (!list || this.disabled || list.disabled) return false;
  list.focus();
  if (list.multiple) this.selected = !this.selected; else list.selectedIndex = this.index;
  list.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  list.dispatchEvent(new Event('change', { bubbles: true }));
  return true;
}";

/// Chooses an option of a native list by its label.
pub(crate) const CHOOSE_BY_LABEL: &str = "function(label) {
  const option = [...this.options].find((o) => o.label.trim() === label) || [...this.options].find((o) => o.value === label);
  if (!option || option.disabled || this.disabled) return false;
  this.focus();
  if (this.multiple) option.selected = true; else this.selectedIndex = option.index;
  this.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  this.dispatchEvent(new Event('change', { bubbles: true }));
  return true;
}";

/// Sets a control that takes no text.
pub(crate) const SET_VALUE: &str = "function(value) {
  this.focus();
  this.value = value;
  this.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  this.dispatchEvent(new Event('change', { bubbles: true }));
}";

/// Whether rich text can be typed into it.
pub(crate) const IS_EDITABLE: &str = "function() { return !!this.isContentEditable }";

/// Whether it is open, where it can be.
pub(crate) const EXPANDED: &str = "function() {
  const details = this.localName === 'summary' ? this.closest('details') : this.localName === 'details' ? this : null;
  if (details) return details.open;
  const word = this.getAttribute('aria-expanded');
  return word === null ? null : word === 'true';
}";

/// What a control that the page draws itself says about its value, once the page has drawn it: now, least, most.
pub(crate) const DRAWN_VALUE: &str = "async function() {
  await stillpoint.settle(true);
  const read = (name) => this.hasAttribute(name) ? Number(this.getAttribute(name)) : null;
  return [read('aria-valuenow'), read('aria-valuemin'), read('aria-valuemax')];
}";
