import Foundation
import NIOCore
import RoostFiles

/// Checks the network addresses of a host before a connection.
enum WebAddress {
    static func resolve(_ host: String) async throws -> [SocketAddress] {
        do {
            return try await BlockingWork.run { _ in try lookUp(host) }
        } catch let error as CancellationError {
            throw error
        } catch {
            throw WebError(
                .unavailable,
                "cannot fetch from \(host): its name cannot be resolved; check the address and the connection"
            )
        }
    }

    private struct Unknown: Error {}

    private static func lookUp(_ host: String) throws -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Darwin)
            hints.ai_socktype = SOCK_STREAM
        #else
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { throw Unknown() }
        defer { freeaddrinfo(list) }
        var result: [SocketAddress] = []
        var next = list
        while let info = next?.pointee {
            if let address = info.ai_addr {
                var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
                let status = getnameinfo(
                    address, info.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
                let name = String(
                    decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                if status == 0, let address = try? SocketAddress(ipAddress: name, port: 0) {
                    result.append(address)
                }
            }
            next = info.ai_next
        }
        guard !result.isEmpty else { throw Unknown() }
        return result
    }

    /// Returns whether an address is public: not in a private, loopback, link-local or other special-purpose
    /// range (RFC 6890).
    static func isPublic(_ address: SocketAddress) -> Bool {
        switch address {
        case .v4(let value):
            withUnsafeBytes(of: value.address.sin_addr) { isPublic(v4: Array($0)) }
        case .v6(let value):
            withUnsafeBytes(of: value.address.sin6_addr) { isPublic(v6: Array($0)) }
        case .unixDomainSocket: false
        }
    }

    private static func isPublic(v4 bytes: [UInt8]) -> Bool {
        switch (bytes[0], bytes[1]) {
        case (0, _), (10, _), (127, _), (169, 254), (192, 168), (224..., _): false
        case (172, 16...31), (100, 64...127), (198, 18...19): false
        case (192, 0): bytes[2] != 0 && bytes[2] != 2
        case (198, 51): bytes[2] != 100
        case (203, 0): bytes[2] != 113
        case (192, 88): bytes[2] != 99
        default: true
        }
    }

    private static func isPublic(v6 bytes: [UInt8]) -> Bool {
        // Mapped, NAT64 and 6to4 addresses contain an IPv4 address, which is checked. Compatible addresses,
        // which are deprecated, and the loopback address are refused.
        let last = Array(bytes[12...])
        if bytes[..<10].allSatisfy({ $0 == 0 }) {
            let isMapped = bytes[10] == 0xFF && bytes[11] == 0xFF
            return isMapped && isPublic(v4: last)
        }
        if Array(bytes[..<12]) == [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0] { return isPublic(v4: last) }
        if bytes[0] == 0x20, bytes[1] == 0x02 { return isPublic(v4: Array(bytes[2..<6])) }
        // Only 2000::/3 is assigned for global use; Teredo, benchmarks and documentation are excluded.
        guard bytes[0] & 0xE0 == 0x20 else { return false }
        let isSpecial =
            bytes[0] == 0x20 && bytes[1] == 0x01
            && (bytes[2] < 0x02 || (bytes[2] == 0x0D && bytes[3] == 0xB8))
        return !isSpecial && !(bytes[0] == 0x3F && bytes[1] == 0xFF)
    }
}
