import Dispatch
import Foundation

/// A connection to a local server, to which a test writes bytes that no HTTP client would write.
final class RawConnection {
    /// A call of the operating system failed.
    struct Failure: Error {
        var call: String
        var number: Int32
    }

    private let descriptor: Int32

    /// Connects to a port of this computer.
    ///
    /// - Parameter receiveBuffer: The size in bytes of the buffer of the operating system for bytes that are
    ///   not read yet; `nil` for the default, which can grow to many megabytes.
    init(port: Int, receiveBuffer: Int32? = nil) throws {
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { throw Failure(call: "socket", number: errno) }
        if var receiveBuffer {
            setsockopt(
                descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failure(call: "connect", number: errno) }
        // On a busy machine, an answer can take minutes.
        var timeout = timeval(tv_sec: 1200, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    func write(_ text: String) async throws { try await write(Array(text.utf8)) }

    /// Writes bytes.
    func write(_ bytes: [UInt8]) async throws {
        let descriptor = descriptor
        try await Self.blocking {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { throw Failure(call: "send", number: errno) }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Runs a function that blocks on a separate thread. The threads of tasks must not be blocked, because
    /// the server under test runs on them too.
    private static func blocking<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Swift.Result(catching: body)) }
        }
    }

    /// Tells the server that nothing more will be written.
    func finishWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Returns what the server sends until it has sent a text or closes the connection.
    func read(until end: String) async throws -> String {
        let descriptor = descriptor
        return try await Self.blocking {
            var result: [UInt8] = []
            var byte: UInt8 = 0
            while !result.suffix(end.utf8.count).elementsEqual(end.utf8) {
                let count = recv(descriptor, &byte, 1, 0)
                if count < 0, errno == EAGAIN { throw Failure(call: "recv", number: errno) }
                guard count > 0 else { break }
                result.append(byte)
            }
            return String(decoding: result, as: UTF8.self)
        }
    }

    /// Returns everything that the server sends until it closes the connection.
    func readToEnd() async throws -> String {
        let descriptor = descriptor
        return try await Self.blocking {
            var result: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                if count < 0, errno == EAGAIN { throw Failure(call: "recv", number: errno) }
                guard count > 0 else { break }
                result += buffer[..<count]
            }
            return String(decoding: result, as: UTF8.self)
        }
    }
}
