// Bytes in any chunks to frames. No sockets, no clock.

/// One direction of the protocol.
protocol WireFrame {
    var opcode: UInt8 { get }
    init(opcode: UInt8, payload: ArraySlice<UInt8>) throws
    func write(to fields: inout FieldWriter)
}

/// The most that a length field may say: 64 MiB for opcode and payload.
let frameLimit = 64 * 1024 * 1024

extension WireFrame {
    /// The frame's bytes; nil when it is over the limit.
    func encoded() -> [UInt8]? {
        var fields = FieldWriter()
        write(to: &fields)
        let length = fields.bytes.count + 1
        guard length <= frameLimit else { return nil }
        var frame: [UInt8] = (0..<4).map { UInt8(truncatingIfNeeded: length >> ($0 * 8)) }
        frame.append(opcode)
        frame.append(contentsOf: fields.bytes)
        return frame
    }
}

/// What a decoder yields.
enum Decoded<Frame: WireFrame> {
    case frame(Frame)
    case malformed(Malformation)
    case needsMore
}

/// Holds exactly the bytes that were fed and not yielded. Nothing is reserved because a length field says so.
struct FrameDecoder<Frame: WireFrame> {
    private var buffer: [UInt8] = []
    private var consumed = 0
    private var ended: Malformation?

    var buffered: Int { buffer.count - consumed }

    mutating func feed<C: Collection>(_ bytes: C) where C.Element == UInt8 {
        guard ended == nil else { return }
        if consumed > 0 {
            buffer.removeFirst(consumed)
            consumed = 0
        }
        buffer.append(contentsOf: bytes)
    }

    mutating func next() -> Decoded<Frame> {
        if let ended { return .malformed(ended) }
        guard buffered >= 4 else { return .needsMore }
        let length = (0..<4).reduce(UInt32(0)) { $0 | UInt32(buffer[consumed + $1]) << UInt32($1 * 8) }
        guard length <= UInt32(frameLimit) else {
            let problem = Malformation.tooLarge(length)
            ended = problem
            buffer = []
            consumed = 0
            return .malformed(problem)
        }
        if length == 0 {
            consumed += 4
            return .malformed(.zeroLength)
        }
        let end = consumed + 4 + Int(length)
        guard buffer.count >= end else { return .needsMore }
        let opcode = buffer[consumed + 4]
        let payload = buffer[(consumed + 5)..<end]
        consumed = end
        do {
            return .frame(try Frame(opcode: opcode, payload: payload))
        } catch let problem as Malformation {
            return .malformed(problem)
        } catch {
            return .malformed(.badJSON(field: "payload"))
        }
    }
}
