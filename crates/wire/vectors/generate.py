#!/usr/bin/env python3
"""Writes the test vectors beside it. It packs bytes from the contract alone and knows nothing of the other codecs,
so that a mistake in one of them shows. Run it after a change of the protocol, and review the difference."""

import json
import pathlib
import struct

HERE = pathlib.Path(__file__).parent
LIMIT = 64 * 1024 * 1024


def u8(n): return struct.pack("<B", n)
def u32(n): return struct.pack("<I", n)
def u64(n): return struct.pack("<Q", n)
def i32(n): return struct.pack("<i", n)
def f64(n): return struct.pack("<d", n)
def blob(b): return u32(len(b)) + b
def text(s): return blob(s.encode())
def flag(b): return u8(1 if b else 0)
def opt_text(s): return flag(False) if s is None else flag(True) + text(s)
def opt_f64(n): return flag(False) if n is None else flag(True) + f64(n)
def topt(n): return flag(False) if n is None else flag(True) + u64(n)
def frame(op, payload=b""): return u32(1 + len(payload)) + u8(op) + payload


class Book:
    def __init__(self, direction):
        self.direction, self.rows = direction, []

    def ok(self, name, raw, decoded, canonical=True):
        """`canonical`: an encoder must produce exactly these bytes for `decoded`. Never so where JSON is inside, whose
        order of keys is free."""
        self.rows.append({"name": name, "direction": self.direction, "hex": raw.hex(),
                          "decoded": decoded, "canonical": canonical})

    def bad(self, name, raw, error, fatal=False):
        self.rows.append({"name": name, "direction": self.direction, "hex": raw.hex(),
                          "error": error, "fatal": fatal})

    def save(self, file):
        names = [row["name"] for row in self.rows]
        assert len(set(names)) == len(names), "names must be unique"
        lines = ",\n".join("  " + json.dumps(row, ensure_ascii=True) for row in self.rows)
        (HERE / file).write_text("[\n" + lines + "\n]\n")


def framing(book, good):
    book.bad("zero_length_frame", u32(0), "zero_length")
    book.bad("length_one_over_the_limit", u32(LIMIT + 1) + u8(0x01), "too_large", fatal=True)
    book.bad("length_4_gib", u32(0xFFFFFFFF) + u8(0x01), "too_large", fatal=True)
    book.bad("header_cut_in_two", good[:3], "incomplete")
    book.bad("frame_cut_in_two", good[:-1], "incomplete")
    book.bad("limit_is_allowed_and_waited_for", u32(LIMIT) + u8(0x01), "incomplete")
    for op in (0x00, 0x0A, 0x0F, 0x17, 0x3F, 0x45, 0xFF):
        book.bad(f"unknown_opcode_{op:02x}", frame(op), "unknown_opcode")


def requests():
    b = Book("client_to_server")
    ok, bad = b.ok, b.bad
    ok("heartbeat", frame(0x01), {"request": "heartbeat"})
    ok("heartbeat_with_unknown_trailing_bytes", frame(0x01, b"\x01\x02\x03"), {"request": "heartbeat"}, False)
    ok("tap_coord", frame(0x02, i32(120) + i32(-7)), {"request": "tap_coord", "x": 120, "y": -7})
    ok("tap_coord_extremes", frame(0x02, i32(-2**31) + i32(2**31 - 1)),
       {"request": "tap_coord", "x": -2**31, "y": 2**31 - 1})
    ok("tap_coord_trailing_bytes", frame(0x02, i32(1) + i32(2) + b"\xff"), {"request": "tap_coord", "x": 1, "y": 2}, False)
    bad("tap_coord_short", frame(0x02, i32(1) + b"\x00\x00\x00"), "short_payload")
    bad("tap_coord_empty", frame(0x02), "short_payload")
    for op, kind, key in ((0x03, "tap_element", "id"), (0x04, "tap_by_label", "label")):
        make = lambda s, t: {"request": kind, key: s, "timeout_ms": t}
        ok(f"{kind}_without_timeout", frame(op, text("save") + topt(None)), make("save", None))
        ok(f"{kind}_with_timeout", frame(op, text("save") + topt(5000)), make("save", 5000))
        ok(f"{kind}_flag_missing", frame(op, text("save")), make("save", None), False)
        ok(f"{kind}_zero_timeout", frame(op, text("save") + topt(0)), make("save", 0))
        ok(f"{kind}_largest_timeout", frame(op, text("") + topt(2**64 - 1)), make("", 2**64 - 1))
        ok(f"{kind}_flag_is_any_nonzero_byte", frame(op, text("a") + b"\x07" + u64(9)), make("a", 9), False)
        ok(f"{kind}_bytes_after_no_timeout", frame(op, text("a") + b"\x00" + u64(9)), make("a", None), False)
        ok(f"{kind}_bytes_after_timeout", frame(op, text("a") + topt(9) + b"zz"), make("a", 9), False)
        ok(f"{kind}_unicode", frame(op, text("Grüße \U0001f44b") + topt(1)), make("Grüße \U0001f44b", 1))
        bad(f"{kind}_timeout_cut", frame(op, text("a") + b"\x01" + b"\x00" * 7), "short_payload")
        bad(f"{kind}_empty", frame(op), "short_payload")
        bad(f"{kind}_text_longer_than_payload", frame(op, u32(5) + b"save"), "short_payload")
        bad(f"{kind}_text_claims_4_gib", frame(op, u32(0xFFFFFFFF) + b"save"), "short_payload")
        bad(f"{kind}_bad_utf8", frame(op, blob(b"\xff\xfe") + topt(None)), "bad_utf8")
    typed = lambda s, l, t, ms: {"request": "tap_with_type", "selector": s, "by_label": l, "element_type": t, "timeout_ms": ms}
    ok("tap_with_type_by_id", frame(0x05, text("ok") + flag(False) + text("Button") + topt(None)), typed("ok", False, "Button", None))
    ok("tap_with_type_by_label", frame(0x05, text("OK") + flag(True) + text("Button") + topt(250)), typed("OK", True, "Button", 250))
    ok("tap_with_type_flag_missing", frame(0x05, text("OK") + flag(True) + text("Cell")), typed("OK", True, "Cell", None), False)
    bad("tap_with_type_no_type", frame(0x05, text("OK") + flag(True)), "short_payload")
    bad("tap_with_type_bad_utf8_type", frame(0x05, text("OK") + flag(True) + blob(b"\xc3") + topt(None)), "bad_utf8")
    ok("type_text", frame(0x06, text("hello\nworld")), {"request": "type_text", "text": "hello\nworld"})
    ok("type_text_empty", frame(0x06, text("")), {"request": "type_text", "text": ""})
    bad("type_text_surrogate", frame(0x06, blob(b"\xed\xa0\x80")), "bad_utf8")
    bad("type_text_overlong", frame(0x06, blob(b"\xc0\x80")), "bad_utf8")
    bad("type_text_short", frame(0x06, b"\x01\x00"), "short_payload")
    swipe = lambda s: {"request": "swipe", "start_x": 1, "start_y": 2, "end_x": 3, "end_y": -4, "duration_s": s}
    ends = i32(1) + i32(2) + i32(3) + i32(-4)
    ok("swipe", frame(0x07, ends + opt_f64(None)), swipe(None))
    ok("swipe_with_duration", frame(0x07, ends + opt_f64(0.25)), swipe(0.25))
    bad("swipe_flag_missing", frame(0x07, ends), "short_payload")
    bad("swipe_duration_cut", frame(0x07, ends + flag(True) + b"\x00" * 4), "short_payload")
    value = lambda s, l, t, ms: {"request": "get_value", "selector": s, "by_label": l, "element_type": t, "timeout_ms": ms}
    ok("get_value", frame(0x08, text("name") + flag(False) + opt_text(None) + topt(None)), value("name", False, None, None))
    ok("get_value_full", frame(0x08, text("Name") + flag(True) + opt_text("TextField") + topt(1500)), value("Name", True, "TextField", 1500))
    ok("get_value_flag_missing", frame(0x08, text("n") + flag(False) + opt_text("Cell")), value("n", False, "Cell", None), False)
    bad("get_value_no_type_flag", frame(0x08, text("n") + flag(False)), "short_payload")
    bad("get_value_timeout_cut", frame(0x08, text("n") + flag(False) + opt_text(None) + b"\x01\x02"), "short_payload")
    ok("long_press", frame(0x09, i32(10) + i32(20) + f64(1.5)), {"request": "long_press", "x": 10, "y": 20, "duration_s": 1.5})
    bad("long_press_short", frame(0x09, i32(10) + i32(20) + b"\x00" * 7), "short_payload")
    for op, kind in ((0x10, "dump_tree"), (0x11, "screenshot"), (0x14, "get_target_info"), (0x15, "bridge_health"), (0x16, "device_udid")):
        ok(kind, frame(op), {"request": kind})
    ok("set_target", frame(0x12, text("com.example.notes")), {"request": "set_target", "target": "com.example.notes"})
    bad("set_target_bad_utf8", frame(0x12, blob(b"\x80")), "bad_utf8")
    bad("set_target_empty", frame(0x12), "short_payload")
    find = lambda s, l, t: {"request": "find_element", "selector": s, "by_label": l, "element_type": t}
    ok("find_element", frame(0x13, text("ok") + flag(False) + opt_text(None)), find("ok", False, None))
    ok("find_element_typed", frame(0x13, text("OK") + flag(True) + opt_text("Button")), find("OK", True, "Button"))
    bad("find_element_type_missing", frame(0x13, text("OK") + flag(True) + flag(True)), "short_payload")
    hello = '{"version":2,"token":"s3cret","wants":["events"]}'
    ok("hello", frame(0x40, text(hello)), {"hello": json.loads(hello)}, False)
    ok("hello_least", frame(0x40, text('{"version":2}')), {"hello": {"version": 2, "wants": []}}, False)
    bad("hello_not_json", frame(0x40, text("hi")), "bad_json")
    bad("hello_without_version", frame(0x40, text("{}")), "bad_json")
    bad("hello_empty", frame(0x40), "short_payload")
    ok("call", frame(0x41, u64(7) + text("wait_for") + text('{"selector":"#save"}')),
       {"call": {"id": 7, "method": "wait_for", "json": '{"selector":"#save"}'}})
    perform = ('{"epoch":7,"deadline_us":1500000,"action":{"verb":"tap","on":{"element":12},"button":"left","count":1,'
               '"hold_ms":null}}')
    ok("call_perform", frame(0x41, u64(9) + text("backend.perform") + text(perform)),
       {"call": {"id": 9, "method": "backend.perform", "json": perform}})
    ok("call_largest_id", frame(0x41, u64(2**64 - 1) + text("") + text("")), {"call": {"id": 2**64 - 1, "method": "", "json": ""}})
    bad("call_without_params", frame(0x41, u64(7) + text("wait_for")), "short_payload")
    bad("call_bad_utf8", frame(0x41, u64(7) + blob(b"\xff") + text("")), "bad_utf8")
    ok("cancel", frame(0x44, u64(7)), {"cancel": {"id": 7}})
    bad("cancel_short", frame(0x44, b"\x07"), "short_payload")
    bad("answer_is_not_for_clients", frame(0x42, u64(7) + flag(True) + text("{}")), "unknown_opcode")
    bad("reply_is_not_for_clients", frame(0xA0, u8(0)), "unknown_opcode")
    framing(b, frame(0x02, i32(1) + i32(2)))
    b.save("client_to_server.json")


def replies():
    b = Book("server_to_client")
    ok, bad = b.ok, b.bad
    reply = lambda kind, value=None: {"reply": kind} if value is None else {"reply": kind, "value": value}
    ok("ok", frame(0xA0, u8(0)), reply("ok"))
    ok("ok_with_unknown_trailing_bytes", frame(0xA0, u8(0) + b"later"), reply("ok"), False)
    ok("error", frame(0xA0, u8(1) + text("ELEMENT_NOT_FOUND: no `save`")), reply("error", "ELEMENT_NOT_FOUND: no `save`"))
    ok("error_empty", frame(0xA0, u8(1) + text("")), reply("error", ""))
    ok("error_bare", frame(0x99, text("no such element")), reply("error", "no such element"), False)
    bad("error_bare_short", frame(0x99, u32(9) + b"no"), "short_payload")
    bad("error_bare_bad_utf8", frame(0x99, blob(b"\xff")), "bad_utf8")
    bad("error_bad_utf8", frame(0xA0, u8(1) + blob(b"\xf0\x9f")), "bad_utf8")
    tree = '[{"AXUniqueId":"save","AXLabel":"Save","type":"Button","frame":{"x":8,"y":16,"width":64,"height":32}}]'
    ok("tree", frame(0xA0, u8(2) + text(tree)), reply("tree", tree))
    ok("tree_empty", frame(0xA0, u8(2) + text("[]")), reply("tree", "[]"))
    bad("tree_cut", frame(0xA0, u8(2) + u32(99) + b"["), "short_payload")
    ok("screenshot", frame(0xA0, u8(3) + blob(b"\x89PNG\r\n\x1a\n")), reply("screenshot", list(b"\x89PNG\r\n\x1a\n")))
    ok("screenshot_empty", frame(0xA0, u8(3) + blob(b"")), reply("screenshot", []))
    bad("screenshot_claims_4_gib", frame(0xA0, u8(3) + u32(0xFFFFFFFF)), "short_payload")
    ok("value", frame(0xA0, u8(4) + opt_text("42")), reply("value", "42"))
    ok("value_none", frame(0xA0, u8(4) + opt_text(None)), {"reply": "value", "value": None})
    bad("value_no_flag", frame(0xA0, u8(4)), "short_payload")
    bad("value_flag_without_text", frame(0xA0, u8(4) + flag(True)), "short_payload")
    ok("element", frame(0xA0, u8(5) + text('{"AXUniqueId":"save","hittable":true}')), reply("element", '{"AXUniqueId":"save","hittable":true}'))
    ok("element_null", frame(0xA0, u8(5) + text("null")), reply("element", "null"))
    ok("target_info", frame(0xA0, u8(6) + text('{"bundle_id":"com.example.notes"}')), reply("target_info", '{"bundle_id":"com.example.notes"}'))
    for kind in (0x07, 0xFF):
        bad(f"unknown_reply_type_{kind:02x}", frame(0xA0, u8(kind)), "unknown_reply_type")
    bad("reply_without_type", frame(0xA0), "short_payload")
    hello = '{"version":2,"grants":["events"],"max_calls":64}'
    ok("hello", frame(0x40, text(hello)), {"hello": json.loads(hello)}, False)
    bad("hello_not_json", frame(0x40, text("[")), "bad_json")
    ok("answer", frame(0x42, u64(7) + flag(True) + text('{"found":true}')), {"answer": {"id": 7, "ok": True, "json": '{"found":true}'}})
    fault = '{"code":"TIMEOUT","message":"never came"}'
    ok("answer_fault", frame(0x42, u64(8) + flag(False) + text(fault)), {"answer": {"id": 8, "ok": False, "json": fault}})
    bad("answer_short", frame(0x42, u64(7) + flag(True)), "short_payload")
    attached = ('{"epoch":7,"n":3,"clock_us":1000000,"capabilities":{"events":true,"barrier":true},"info":{"target":"sim:login",'
                '"name":"login"},"changes":[{"op":"replace","nodes":[{"key":1,"role":"window","label":"W"},{"key":12,"in":1,'
                '"role":"button","label":"Save","enabled":true,"bounds":[8,16,64,32]}]},{"op":"screen","title":"W","active":1}]}')
    ok("answer_attach", frame(0x42, u64(1) + flag(True) + text(attached)), {"answer": {"id": 1, "ok": True, "json": attached}})
    performed = '{"performed":{"means":{"kind":"native","with":"click"}}}'
    ok("answer_performed", frame(0x42, u64(9) + flag(True) + text(performed)), {"answer": {"id": 9, "ok": True, "json": performed}})
    changes = ('{"n":4,"epoch":7,"type":"changes","changes":[{"op":"update","key":12,"props":{"enabled":false,"label":null}},'
               '{"op":"remove","key":12}]}')
    ok("event_changes", frame(0x43, u64(1) + text(changes)), {"event": {"seq": 1, "json": changes}})
    ok("event", frame(0x43, u64(1) + text('{"type":"revision","revision":12}')), {"event": {"seq": 1, "json": '{"type":"revision","revision":12}'}})
    bad("event_bad_utf8", frame(0x43, u64(1) + blob(b"\xff")), "bad_utf8")
    bad("event_short", frame(0x43, u64(1)), "short_payload")
    bad("request_is_not_for_servers", frame(0x01), "unknown_opcode")
    bad("call_is_not_for_servers", frame(0x41, u64(1) + text("a") + text("{}")), "unknown_opcode")
    framing(b, frame(0xA0, u8(4) + opt_text("42")))
    b.save("server_to_client.json")


if __name__ == "__main__":
    requests()
    replies()
