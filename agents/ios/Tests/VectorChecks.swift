// The byte-level vectors that every codec of the protocol must satisfy. Used by XCTest, and by the check that runs
// without it.

import Foundation

struct VectorChecks {
    private(set) var checked = 0
    private(set) var problems: [String] = []

    mutating func run(clientToServer: Data, serverToClient: Data) throws {
        try run(clientToServer, describe: { (frame: ClientFrame) in frame.described })
        try run(serverToClient, describe: { (frame: ServerFrame) in frame.described })
    }

    private mutating func run<F: WireFrame>(_ file: Data, describe: (F) -> [String: Any]) throws {
        let rows = try JSONSerialization.jsonObject(with: file) as? [[String: Any]] ?? []
        for row in rows {
            checked += 1
            let name = row["name"] as? String ?? "?"
            let raw = bytes(row["hex"] as? String ?? "")
            for chunk in [raw.count + 1, 1] {
                if let problem = problem(row, raw, chunk, describe) { problems.append("\(name): \(problem)") }
            }
        }
    }

    private func problem<F: WireFrame>(
        _ row: [String: Any], _ raw: [UInt8], _ chunk: Int, _ describe: (F) -> [String: Any]
    ) -> String? {
        var decoder = FrameDecoder<F>()
        var outcome = Decoded<F>.needsMore
        for start in stride(from: 0, to: raw.count, by: chunk) {
            decoder.feed(raw[start..<min(start + chunk, raw.count)])
            outcome = decoder.next()
            if case .malformed = outcome { break }
        }
        switch outcome {
        case .frame(let frame):
            guard let expected = row["decoded"] as? [String: Any] else { return "was accepted" }
            let got = describe(frame)
            guard NSDictionary(dictionary: got).isEqual(NSDictionary(dictionary: expected)) else {
                return "decoded to \(got), expected \(expected)"
            }
            if row["canonical"] as? Bool == true, frame.encoded() != raw { return "encodes to other bytes" }
            return decoder.buffered == 0 ? nil : "leaves bytes behind"
        case .malformed(let error):
            guard error.name == row["error"] as? String else { return "failed with \(error.name)" }
            return error.isFatal == (row["fatal"] as? Bool ?? false) ? nil : "is wrong about being fatal"
        case .needsMore:
            return row["error"] as? String == "incomplete" ? nil : "waits for more bytes"
        }
    }

    private func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex.utf8)
        return stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
    }
}

private func orNull(_ value: Any?) -> Any { value ?? NSNull() }

extension ClientFrame {
    /// The frame in the words of the vectors.
    var described: [String: Any] {
        func request(_ name: String, _ fields: [String: Any] = [:]) -> [String: Any] {
            fields.merging(["request": name]) { first, _ in first }
        }
        func query(_ query: ElementQuery) -> [String: Any] {
            ["selector": query.selector, "by_label": query.byLabel, "element_type": orNull(query.type)]
        }
        switch self {
        case .heartbeat: return request("heartbeat")
        case .tapCoord(let x, let y): return request("tap_coord", ["x": x, "y": y])
        case .tapElement(let id, let timeout): return request("tap_element", ["id": id, "timeout_ms": orNull(timeout)])
        case .tapByLabel(let label, let timeout):
            return request("tap_by_label", ["label": label, "timeout_ms": orNull(timeout)])
        case .tapWithType(let selector, let byLabel, let type, let timeout):
            let fields: [String: Any] = [
                "selector": selector, "by_label": byLabel, "element_type": type, "timeout_ms": orNull(timeout),
            ]
            return request("tap_with_type", fields)
        case .typeText(let text): return request("type_text", ["text": text])
        case .swipe(let startX, let startY, let endX, let endY, let seconds):
            let fields: [String: Any] = [
                "start_x": startX, "start_y": startY, "end_x": endX, "end_y": endY, "duration_s": orNull(seconds),
            ]
            return request("swipe", fields)
        case .getValue(let wanted, let timeout):
            return request("get_value", query(wanted).merging(["timeout_ms": orNull(timeout)]) { first, _ in first })
        case .longPress(let x, let y, let seconds): return request("long_press", ["x": x, "y": y, "duration_s": seconds])
        case .dumpTree: return request("dump_tree")
        case .screenshot: return request("screenshot")
        case .setTarget(let target): return request("set_target", ["target": target])
        case .findElement(let wanted): return request("find_element", query(wanted))
        case .getTargetInfo: return request("get_target_info")
        case .bridgeHealth: return request("bridge_health")
        case .deviceUdid: return request("device_udid")
        case .hello(let hello):
            var fields: [String: Any] = ["version": hello.version, "wants": hello.wants]
            if let token = hello.token { fields["token"] = token }
            return ["hello": fields]
        case .call(let id, let method, let json):
            return ["call": ["id": id, "method": method, "json": json] as [String: Any]]
        case .cancel(let id): return ["cancel": ["id": id]]
        }
    }
}

extension ServerFrame {
    /// The frame in the words of the vectors.
    var described: [String: Any] {
        func reply(_ name: String, _ value: Any) -> [String: Any] { ["reply": name, "value": value] }
        switch self {
        case .ok: return ["reply": "ok"]
        case .error(let message): return reply("error", message)
        case .tree(let json): return reply("tree", json)
        case .screenshot(let png): return reply("screenshot", png.map { Int($0) })
        case .value(let value): return reply("value", orNull(value))
        case .element(let json): return reply("element", json)
        case .targetInfo(let json): return reply("target_info", json)
        case .hello(let hello):
            let fields: [String: Any] = [
                "version": hello.version, "grants": hello.grants, "max_calls": hello.maxCalls,
            ]
            return ["hello": fields]
        case .answer(let id, let ok, let json):
            return ["answer": ["id": id, "ok": ok, "json": json] as [String: Any]]
        case .event(let seq, let json):
            return ["event": ["seq": seq, "json": json] as [String: Any]]
        }
    }
}
