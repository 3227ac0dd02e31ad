// What a client sends.

/// How an element is named.
struct ElementQuery: Equatable {
    var selector: String
    var byLabel: Bool
    var type: String?
}

enum ClientFrame: Equatable {
    case heartbeat
    case tapCoord(x: Int32, y: Int32)
    case tapElement(id: String, timeoutMs: UInt64?)
    case tapByLabel(label: String, timeoutMs: UInt64?)
    case tapWithType(selector: String, byLabel: Bool, type: String, timeoutMs: UInt64?)
    case typeText(String)
    case swipe(startX: Int32, startY: Int32, endX: Int32, endY: Int32, seconds: Double?)
    case getValue(ElementQuery, timeoutMs: UInt64?)
    case longPress(x: Int32, y: Int32, seconds: Double)
    case dumpTree
    case screenshot
    case setTarget(String)
    case findElement(ElementQuery)
    case getTargetInfo
    case bridgeHealth
    case deviceUdid
    case hello(ClientHello)
    case call(id: UInt64, method: String, json: String)
    case cancel(id: UInt64)
}

extension ClientFrame: WireFrame {
    var opcode: UInt8 {
        switch self {
        case .heartbeat: return 0x01
        case .tapCoord: return 0x02
        case .tapElement: return 0x03
        case .tapByLabel: return 0x04
        case .tapWithType: return 0x05
        case .typeText: return 0x06
        case .swipe: return 0x07
        case .getValue: return 0x08
        case .longPress: return 0x09
        case .dumpTree: return 0x10
        case .screenshot: return 0x11
        case .setTarget: return 0x12
        case .findElement: return 0x13
        case .getTargetInfo: return 0x14
        case .bridgeHealth: return 0x15
        case .deviceUdid: return 0x16
        case .hello: return 0x40
        case .call: return 0x41
        case .cancel: return 0x44
        }
    }

    init(opcode: UInt8, payload: ArraySlice<UInt8>) throws {
        var fields = FieldReader(payload)
        switch opcode {
        case 0x01: self = .heartbeat
        case 0x02: self = .tapCoord(x: try fields.i32("x"), y: try fields.i32("y"))
        case 0x03: self = .tapElement(id: try fields.text("id"), timeoutMs: try fields.trailingU64("timeout_ms"))
        case 0x04: self = .tapByLabel(label: try fields.text("label"), timeoutMs: try fields.trailingU64("timeout_ms"))
        case 0x05:
            self = .tapWithType(
                selector: try fields.text("selector"), byLabel: try fields.bool("by_label"),
                type: try fields.text("type"), timeoutMs: try fields.trailingU64("timeout_ms"))
        case 0x06: self = .typeText(try fields.text("text"))
        case 0x07:
            self = .swipe(
                startX: try fields.i32("start_x"), startY: try fields.i32("start_y"), endX: try fields.i32("end_x"),
                endY: try fields.i32("end_y"), seconds: try fields.optionalF64("duration_s"))
        case 0x08: self = .getValue(try ElementQuery(&fields), timeoutMs: try fields.trailingU64("timeout_ms"))
        case 0x09:
            self = .longPress(x: try fields.i32("x"), y: try fields.i32("y"), seconds: try fields.f64("duration_s"))
        case 0x10: self = .dumpTree
        case 0x11: self = .screenshot
        case 0x12: self = .setTarget(try fields.text("target"))
        case 0x13: self = .findElement(try ElementQuery(&fields))
        case 0x14: self = .getTargetInfo
        case 0x15: self = .bridgeHealth
        case 0x16: self = .deviceUdid
        case 0x40: self = .hello(try ClientHello(json: try fields.text("hello")))
        case 0x41:
            self = .call(id: try fields.u64("id"), method: try fields.text("method"), json: try fields.text("params"))
        case 0x44: self = .cancel(id: try fields.u64("id"))
        default: throw Malformation.unknownOpcode(opcode)
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .heartbeat, .dumpTree, .screenshot, .getTargetInfo, .bridgeHealth, .deviceUdid:
            break
        case .tapCoord(let x, let y):
            fields.i32(x)
            fields.i32(y)
        case .tapElement(let selector, let timeoutMs), .tapByLabel(let selector, let timeoutMs):
            fields.text(selector)
            fields.trailingU64(timeoutMs)
        case .tapWithType(let selector, let byLabel, let type, let timeoutMs):
            fields.text(selector)
            fields.bool(byLabel)
            fields.text(type)
            fields.trailingU64(timeoutMs)
        case .typeText(let text), .setTarget(let text):
            fields.text(text)
        case .swipe(let startX, let startY, let endX, let endY, let seconds):
            [startX, startY, endX, endY].forEach { fields.i32($0) }
            fields.optionalF64(seconds)
        case .getValue(let query, let timeoutMs):
            query.write(to: &fields)
            fields.trailingU64(timeoutMs)
        case .longPress(let x, let y, let seconds):
            fields.i32(x)
            fields.i32(y)
            fields.f64(seconds)
        case .findElement(let query):
            query.write(to: &fields)
        case .hello(let hello):
            fields.text(hello.json)
        case .call(let id, let method, let json):
            fields.u64(id)
            fields.text(method)
            fields.text(json)
        case .cancel(let id):
            fields.u64(id)
        }
    }
}

extension ElementQuery {
    init(_ fields: inout FieldReader) throws {
        self.init(
            selector: try fields.text("selector"), byLabel: try fields.bool("by_label"),
            type: try fields.optionalText("type"))
    }

    func write(to fields: inout FieldWriter) {
        fields.text(selector)
        fields.bool(byLabel)
        fields.optionalText(type)
    }
}
