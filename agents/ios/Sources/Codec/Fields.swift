// The protocol's primitive types. Plain Swift: nothing is imported.

/// What is wrong with a frame. The names are those of the test vectors.
enum Malformation: Error, Equatable {
    case zeroLength
    case tooLarge(UInt32)
    case unknownOpcode(UInt8)
    case unknownReplyType(UInt8)
    case shortPayload(field: String)
    case badUTF8(field: String)
    case badJSON(field: String)

    var name: String {
        switch self {
        case .zeroLength: return "zero_length"
        case .tooLarge: return "too_large"
        case .unknownOpcode: return "unknown_opcode"
        case .unknownReplyType: return "unknown_reply_type"
        case .shortPayload: return "short_payload"
        case .badUTF8: return "bad_utf8"
        case .badJSON: return "bad_json"
        }
    }

    /// Only a length that cannot be skipped ends a stream.
    var isFatal: Bool {
        if case .tooLarge = self { return true }
        return false
    }

    var message: String {
        switch self {
        case .zeroLength: return "PROTOCOL: a frame of length 0 has no opcode"
        case .tooLarge(let length): return "PROTOCOL: a frame of \(length) bytes is over the limit"
        case .unknownOpcode(let opcode): return "PROTOCOL: opcode 0x\(String(opcode, radix: 16)) is not known"
        case .unknownReplyType(let kind): return "PROTOCOL: reply type \(kind) is not known"
        case .shortPayload(let field): return "PROTOCOL: the payload ends inside `\(field)`"
        case .badUTF8(let field): return "PROTOCOL: `\(field)` is not valid UTF-8"
        case .badJSON(let field): return "PROTOCOL: `\(field)` is not the JSON that is expected there"
        }
    }
}

/// Reads fields in order. A length is compared with what is there before anything is copied.
struct FieldReader {
    private var rest: ArraySlice<UInt8>

    init(_ payload: ArraySlice<UInt8>) {
        rest = payload
    }

    private mutating func take(_ count: Int, _ field: String) throws -> ArraySlice<UInt8> {
        guard rest.count >= count else { throw Malformation.shortPayload(field: field) }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    private mutating func integer<T: FixedWidthInteger & UnsignedInteger>(_ field: String) throws -> T {
        let bytes = try take(T.bitWidth / 8, field)
        return bytes.reversed().reduce(0) { $0 << 8 | T($1) }
    }

    mutating func u8(_ field: String) throws -> UInt8 { try integer(field) }
    mutating func u64(_ field: String) throws -> UInt64 { try integer(field) }
    mutating func bool(_ field: String) throws -> Bool { try u8(field) != 0 }

    mutating func i32(_ field: String) throws -> Int32 {
        let bits: UInt32 = try integer(field)
        return Int32(bitPattern: bits)
    }

    mutating func f64(_ field: String) throws -> Double { Double(bitPattern: try u64(field)) }

    mutating func bytes(_ field: String) throws -> ArraySlice<UInt8> {
        let count: UInt32 = try integer(field)
        return try take(Int(count), field)
    }

    /// Decoding repairs what is not UTF-8, so text that comes back with other bytes was not.
    mutating func text(_ field: String) throws -> String {
        let raw = try bytes(field)
        let text = String(decoding: raw, as: UTF8.self)
        guard text.utf8.elementsEqual(raw) else { throw Malformation.badUTF8(field: field) }
        return text
    }

    mutating func optionalText(_ field: String) throws -> String? {
        try bool(field) ? try text(field) : nil
    }

    mutating func optionalF64(_ field: String) throws -> Double? {
        try bool(field) ? try f64(field) : nil
    }

    /// The trailing `topt`: a missing flag reads as none.
    mutating func trailingU64(_ field: String) throws -> UInt64? {
        if rest.isEmpty { return nil }
        return try bool(field) ? try u64(field) : nil
    }
}

/// Appends fields to a payload.
struct FieldWriter {
    private(set) var bytes: [UInt8] = []

    private mutating func integer<T: FixedWidthInteger>(_ value: T) {
        for shift in stride(from: 0, to: T.bitWidth, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    mutating func u8(_ value: UInt8) { bytes.append(value) }
    mutating func bool(_ value: Bool) { bytes.append(value ? 1 : 0) }
    mutating func i32(_ value: Int32) { integer(UInt32(bitPattern: value)) }
    mutating func u64(_ value: UInt64) { integer(value) }
    mutating func f64(_ value: Double) { integer(value.bitPattern) }

    mutating func blob<C: Collection>(_ value: C) where C.Element == UInt8 {
        integer(UInt32(truncatingIfNeeded: value.count))
        bytes.append(contentsOf: value)
    }

    mutating func text(_ value: String) { blob(Array(value.utf8)) }

    mutating func optionalText(_ value: String?) {
        bool(value != nil)
        if let value { text(value) }
    }

    mutating func optionalF64(_ value: Double?) {
        bool(value != nil)
        if let value { f64(value) }
    }

    mutating func trailingU64(_ value: UInt64?) {
        bool(value != nil)
        if let value { u64(value) }
    }
}
