// Connections on loopback. Whoever drives a device from outside comes through the simulator's network or a USB tunnel,
// both of which end on loopback.

import Foundation
import Network

final class AgentListener {
    private let listener: NWListener
    private let queue = DispatchQueue(label: "dev.stillpoint.agent.network")
    private let token: String?
    private let handler: CommandHandler

    init(port: UInt16, token: String?, handler: CommandHandler) throws {
        let tcp = NWProtocolTCP.Options()
        tcp.noDelay = true
        tcp.enableKeepalive = true
        let parameters = NWParameters(tls: nil, tcp: tcp)
        parameters.allowLocalEndpointReuse = true
        guard let port = NWEndpoint.Port(rawValue: port) else { throw AgentProblem("port \(port) cannot be used") }
        parameters.requiredLocalEndpoint = .hostPort(host: .ipv4(.loopback), port: port)
        listener = try NWListener(using: parameters)
        (self.token, self.handler) = (token, handler)
    }

    func start(ended: @escaping () -> Void) {
        listener.stateUpdateHandler = { state in
            switch state {
            case .failed(let error):
                // The last words: whoever spawned this reads stderr.
                FileHandle.standardError.write(Data("stillpoint agent: cannot listen: \(error)\n".utf8))
                ended()
            case .cancelled:
                ended()
            default:
                break
            }
        }
        listener.newConnectionHandler = { [token, handler, queue] connection in
            AgentConnection(connection, queue: queue, token: token, handler: handler).start()
        }
        listener.start(queue: queue)
    }
}

struct AgentProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
