// What a server sends.

enum ServerFrame: Equatable {
    case ok
    case error(String)
    case tree(String)
    case screenshot([UInt8])
    case value(String?)
    case element(String)
    case targetInfo(String)
    case hello(ServerHello)
    case answer(id: UInt64, ok: Bool, json: String)
    case event(seq: UInt64, json: String)
}

extension ServerFrame: WireFrame {
    var opcode: UInt8 {
        switch self {
        case .hello: return 0x40
        case .answer: return 0x42
        case .event: return 0x43
        default: return 0xA0
        }
    }

    init(opcode: UInt8, payload: ArraySlice<UInt8>) throws {
        var fields = FieldReader(payload)
        switch opcode {
        case 0xA0: self = try ServerFrame(reply: &fields)
        case 0x99: self = .error(try fields.text("message"))
        case 0x40: self = .hello(try ServerHello(json: try fields.text("hello")))
        case 0x42:
            self = .answer(id: try fields.u64("id"), ok: try fields.bool("ok"), json: try fields.text("answer"))
        case 0x43: self = .event(seq: try fields.u64("seq"), json: try fields.text("event"))
        default: throw Malformation.unknownOpcode(opcode)
        }
    }

    private init(reply fields: inout FieldReader) throws {
        let kind = try fields.u8("reply type")
        switch kind {
        case 0x00: self = .ok
        case 0x01: self = .error(try fields.text("message"))
        case 0x02: self = .tree(try fields.text("tree"))
        case 0x03: self = .screenshot(Array(try fields.bytes("png")))
        case 0x04: self = .value(try fields.optionalText("value"))
        case 0x05: self = .element(try fields.text("element"))
        case 0x06: self = .targetInfo(try fields.text("target info"))
        default: throw Malformation.unknownReplyType(kind)
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .ok:
            fields.u8(0x00)
        case .error(let message):
            fields.u8(0x01)
            fields.text(message)
        case .tree(let json):
            fields.u8(0x02)
            fields.text(json)
        case .screenshot(let png):
            fields.u8(0x03)
            fields.blob(png)
        case .value(let value):
            fields.u8(0x04)
            fields.optionalText(value)
        case .element(let json):
            fields.u8(0x05)
            fields.text(json)
        case .targetInfo(let json):
            fields.u8(0x06)
            fields.text(json)
        case .hello(let hello):
            fields.text(hello.json)
        case .answer(let id, let ok, let json):
            fields.u64(id)
            fields.bool(ok)
            fields.text(json)
        case .event(let seq, let json):
            fields.u64(seq)
            fields.text(json)
        }
    }
}
