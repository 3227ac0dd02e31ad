// The part of Network.framework that the agent uses, by signature alone. Nothing here runs.

import Dispatch
import Foundation

public struct IPv4Address {
    public static let loopback = IPv4Address()
}

public enum NWEndpoint {
    public enum Host { case ipv4(IPv4Address) }
    public struct Port {
        public init?(rawValue: UInt16) {}
    }
    case hostPort(host: Host, port: Port)
}

public enum NWProtocolTCP {
    public final class Options {
        public init() {}
        public var noDelay = false
        public var enableKeepalive = false
    }
}

public final class NWProtocolTLSOptions {}

public final class NWParameters {
    public init(tls: NWProtocolTLSOptions?, tcp: NWProtocolTCP.Options) {}
    public var allowLocalEndpointReuse = false
    public var requiredLocalEndpoint: NWEndpoint?
}

public struct NWError: Error {}

public final class NWListener {
    public enum State { case setup, waiting(NWError), ready, failed(NWError), cancelled }
    public init(using: NWParameters) throws {}
    public var stateUpdateHandler: ((State) -> Void)?
    public var newConnectionHandler: ((NWConnection) -> Void)?
    public func start(queue: DispatchQueue) {}
}

public final class NWConnection {
    public final class ContentContext {
        public static let defaultMessage = ContentContext()
        public static let finalMessage = ContentContext()
    }
    public enum SendCompletion { case contentProcessed((NWError?) -> Void), idempotent }

    public func start(queue: DispatchQueue) {}
    public func cancel() {}
    public func receive(
        minimumIncompleteLength: Int, maximumLength: Int,
        completion: @escaping (Data?, ContentContext?, Bool, NWError?) -> Void
    ) {}
    public func send(
        content: Data?, contentContext: ContentContext = .defaultMessage, isComplete: Bool = true,
        completion: SendCompletion
    ) {}
}
