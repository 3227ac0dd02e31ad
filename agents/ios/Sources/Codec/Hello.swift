// The two Hello messages. Foundation is needed for JSON alone.

import Foundation

struct ClientHello: Codable, Equatable {
    var version: UInt32
    var token: String?
    var wants: [String]

    init(version: UInt32, token: String?, wants: [String]) {
        (self.version, self.token, self.wants) = (version, token, wants)
    }

    init(from decoder: Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        version = try fields.decode(UInt32.self, forKey: .version)
        token = try fields.decodeIfPresent(String.self, forKey: .token)
        wants = try fields.decodeIfPresent([String].self, forKey: .wants) ?? []
    }
}

struct ServerHello: Codable, Equatable {
    var version: UInt32
    var grants: [String]
    var maxCalls: UInt32

    enum CodingKeys: String, CodingKey {
        case version, grants
        case maxCalls = "max_calls"
    }

    init(version: UInt32, grants: [String], maxCalls: UInt32) {
        (self.version, self.grants, self.maxCalls) = (version, grants, maxCalls)
    }

    init(from decoder: Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        version = try fields.decode(UInt32.self, forKey: .version)
        grants = try fields.decodeIfPresent([String].self, forKey: .grants) ?? []
        maxCalls = try fields.decodeIfPresent(UInt32.self, forKey: .maxCalls) ?? 0
    }
}

extension ClientHello {
    init(json: String) throws { self = try readHello(json) }
    var json: String { writeHello(self) }
}

extension ServerHello {
    init(json: String) throws { self = try readHello(json) }
    var json: String { writeHello(self) }
}

private func readHello<T: Decodable>(_ json: String) throws -> T {
    do {
        return try JSONDecoder().decode(T.self, from: Data(json.utf8))
    } catch {
        throw Malformation.badJSON(field: "hello")
    }
}

private func writeHello<T: Encodable>(_ hello: T) -> String {
    // Strings and integers alone: there is nothing that the encoder could refuse.
    guard let data = try? JSONEncoder().encode(hello) else { return "{}" }
    return String(decoding: data, as: UTF8.self)
}

/// The time taken depends on the lengths alone, never on where the texts differ.
func tokensMatch(_ expected: String, _ shown: String) -> Bool {
    let (left, right) = (Array(expected.utf8), Array(shown.utf8))
    var difference: UInt8 = left.count == right.count ? 0 : 1
    for index in left.indices {
        difference |= left[index] ^ (index < right.count ? right[index] : 0)
    }
    return difference == 0
}
