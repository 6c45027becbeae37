import Foundation
import Synchronization

/// A proxy between clients and a server on loopback that understands the messages of PostgreSQL's protocol.
/// It can break a connection at a given message, and behave like a server with fewer features.
final class FaultProxy: Sendable {
    enum Direction: CaseIterable {
        case toServer, toClient
    }

    /// A connection breaks at a message.
    struct Fault {
        var direction: Direction
        /// The number of the message since the fault was set, from 1, counting only messages in the same direction.
        var message: Int
        /// Only messages that contain this text are counted; all if it is empty.
        var text = ""
        /// Whether the message still reaches its receiver.
        var isForwarded: Bool
    }

    private struct State {
        var fault: Fault?
        var count = 0
        var hasFired = false
        var delay: UInt32 = 0
        var replacements: [String: String] = [:]
    }

    private let state = Mutex(State())
    private let listener: Int32
    private let serverPort: UInt16
    let port: UInt16

    init(serverPort: UInt16) throws {
        self.serverPort = serverPort
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        var address = Self.address(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, $0, &size) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                serve(client)
            }
        }
    }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// Sets the next fault, and begins to count messages.
    func set(_ fault: Fault?) {
        state.withLock { state in
            (state.fault, state.count, state.hasFired) = (fault, 0, false)
        }
    }

    func setDelay(_ microseconds: UInt32) { state.withLock { $0.delay = microseconds } }

    /// Replaces texts in the statements that clients prepare, so that the server behaves like another one.
    func replace(_ replacements: [String: String]) { state.withLock { $0.replacements = replacements } }

    /// Whether the connection broke since the last call of ``set(_:)``.
    var hasFired: Bool { state.withLock { $0.hasFired } }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return address
    }

    private func serve(_ client: Int32) {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.address(serverPort)
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard isConnected == 0 else {
            close(client)
            close(server)
            return
        }
        // Messages that are forwarded one by one must not wait for the acknowledgment of the one before.
        var isOn: Int32 = 1
        for socket in [client, server] {
            setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        }
        let pair = Pair(client: client, server: server)
        Thread.detachNewThread { [self] in forward(.toServer, pair) }
        Thread.detachNewThread { [self] in forward(.toClient, pair) }
    }

    /// The two sockets of a connection, which are closed when both directions have ended.
    private final class Pair: Sendable {
        let client: Int32
        let server: Int32
        init(client: Int32, server: Int32) { (self.client, self.server) = (client, server) }

        deinit {
            close(client)
            close(server)
        }

        func end() {
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(server, Int32(SHUT_RDWR))
        }
    }

    private func forward(_ direction: Direction, _ pair: Pair) {
        defer { pair.end() }
        let (source, target) =
            direction == .toServer ? (pair.client, pair.server) : (pair.server, pair.client)
        // The first message of a client has no type.
        var header = direction == .toServer ? 4 : 5
        while let message = read(header, from: source) {
            header = 5
            let (mustBreak, mustForward, delay) = decide(direction, message)
            if delay > 0 { usleep(delay) }
            let replacements = direction == .toServer ? state.withLock { $0.replacements } : [:]
            if mustForward, !write(Self.replacing(replacements, in: message), to: target) { return }
            if mustBreak { return }
        }
    }

    /// Returns a message that prepares a statement with other texts; returns other messages unchanged.
    private static func replacing(_ replacements: [String: String], in message: [UInt8]) -> [UInt8] {
        guard message.first == UInt8(ascii: "P"), !replacements.isEmpty else { return message }
        // Latin-1 preserves all bytes. The type of the message and its length precede the text.
        let text = String(message.dropFirst(5).map { Character(UnicodeScalar($0)) })
        let changed = replacements.reduce(text) { $0.replacing($1.key, with: $1.value) }
        let bytes = changed.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        let length = UInt32(bytes.count + 4).bigEndian
        return [UInt8(ascii: "P")] + withUnsafeBytes(of: length) { Array($0) } + bytes
    }

    private func decide(
        _ direction: Direction, _ message: [UInt8]
    ) -> (mustBreak: Bool, mustForward: Bool, delay: UInt32) {
        state.withLock { state in
            guard let fault = state.fault, fault.direction == direction,
                fault.text.isEmpty || message.contains(Array(fault.text.utf8))
            else { return (false, true, state.delay) }
            state.count += 1
            guard state.count == fault.message else { return (false, true, state.delay) }
            state.fault = nil
            state.hasFired = true
            return (true, fault.isForwarded, state.delay)
        }
    }

    /// Reads a message whose header ends with its length.
    private func read(_ headerSize: Int, from socket: Int32) -> [UInt8]? {
        guard var message = readBytes(headerSize, from: socket) else { return nil }
        let length = message.suffix(4).reduce(0) { $0 << 8 | Int($1) }
        guard length >= 4, let rest = readBytes(length - 4, from: socket) else { return nil }
        message += rest
        return message
    }

    private func readBytes(_ count: Int, from socket: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var offset = 0
        while offset < count {
            let received = bytes.withUnsafeMutableBytes {
                recv(socket, $0.baseAddress?.advanced(by: offset), count - offset, 0)
            }
            guard received > 0 else { return nil }
            offset += received
        }
        return bytes
    }

    private func write(_ bytes: [UInt8], to socket: Int32) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let sent = bytes.withUnsafeBytes {
                send(
                    socket, $0.baseAddress?.advanced(by: offset), bytes.count - offset, Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else { return false }
            offset += sent
        }
        return true
    }
}
