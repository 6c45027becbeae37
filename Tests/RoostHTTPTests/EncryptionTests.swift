#if TLS
    import Foundation
    import HTTPTypes
    import Logging
    import NIOCore
    import NIOHTTP1
    import Roost
    import RoostMCP
    import RoostModel
    import RoostNetwork
    import TestSupport
    import Testing

    @testable import RoostHTTP

    /// Tests with certificates that `openssl` creates.
    @Suite(.temporaryFolders)
    struct EncryptionTests {
        private let folder: URL

        init() throws { folder = try TemporaryFolder().url }

        /// Creates a self-signed certificate for localhost with its key.
        private func certificate(_ name: String) throws -> ServerSettings.Certificate {
            let (chain, key) = (file("\(name).pem"), file("\(name).key"))
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                "-nodes",
                "-days", "2", "-subj", "/CN=\(name)", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                "-out", chain.path, "-keyout", key.path,
            ]
            process.standardError = FileHandle.nullDevice
            try TestTool.start(process)
            process.waitUntilExit()
            try #require(process.terminationStatus == 0)
            return ServerSettings.Certificate(chain: chain, key: key)
        }

        private func file(_ name: String) -> URL { folder.appendingPathComponent(name) }

        /// Returns the status of a request to a server, whose certificate must be the given one.
        private static func status(of harness: HTTPHarness, trusting chain: URL) async throws -> Int {
            var client = HTTPClient(connectTimeout: .seconds(1200), pauseTimeout: .seconds(1200))
            client.certificates = chain.path
            let call = HTTPCall(
                .get, "https://localhost:\(harness.port)/api/v1/status",
                headers: [.authorization: "Bearer \(HTTPHarness.token)"])
            return try await client.send(
                call, timeout: .seconds(1200), limit: BodyLimit(size: 1 << 20, timeout: .seconds(1200))
            ).status
        }

        @Test func `requests over TLS are answered, and those without it are not`() async throws {
            let certificate = try certificate("one")
            let other = try self.certificate("two")
            try await HTTPHarness.run(HTTPHarness.settings { $0.certificate = certificate }) { harness in
                #expect(try await Self.status(of: harness, trusting: certificate.chain) == 200)
                await #expect(throws: (any Error).self) {
                    try await Self.status(of: harness, trusting: other.chain)
                }
                let plain = try RawConnection(port: harness.port)
                try await plain.write("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(try await !plain.readToEnd().contains("HTTP/1.1"))
                // A failed handshake does not affect other connections.
                #expect(try await Self.status(of: harness, trusting: certificate.chain) == 200)
            }
        }

        @Test func `a renewed certificate is used, and an invalid one is not`() throws {
            let certificate = try certificate("one")
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let source = try CertificateSource(certificate, checkedEvery: .zero)
            let first = source.context(logger)
            #expect(source.context(logger) === first)
            let renewed = try self.certificate("two")
            for (from, to) in [(renewed.chain, certificate.chain), (renewed.key, certificate.key)] {
                try Data(contentsOf: from).write(to: to)
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSinceNow: 60)], ofItemAtPath: to.path)
            }
            let second = source.context(logger)
            #expect(second !== first)
            try FileManager.default.removeItem(at: certificate.key)
            #expect(source.context(logger) === second)
        }

        @Test func `missing, invalid and foreign files are refused with their names`() throws {
            let (one, two) = (try certificate("one"), try certificate("two"))
            let (missing, text) = (file("missing.pem"), file("text.pem"))
            try Data("no certificate".utf8).write(to: text)
            let cases: [(URL, URL, String)] = [
                (missing, one.key, "cannot read the certificate \(missing.path): No such file"),
                (one.chain, missing, "cannot read the private key \(missing.path): No such file"),
                (text, one.key, "\(text.path): it contains no certificate in PEM format"),
                (one.chain, text, "\(text.path): it contains no private key in PEM format"),
                (one.key, one.key, "\(one.key.path): it contains no certificate in PEM format"),
                (one.chain, two.key, "\(two.key.path): it does not belong to the first certificate"),
                (folder, one.key, "cannot read the certificate \(folder.path): it is not a file"),
            ]
            for (chain, key, message) in cases {
                let error = #expect(throws: ServerError.self) {
                    try CertificateSource(ServerSettings.Certificate(chain: chain, key: key))
                }
                #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
            }
        }

        @Test func `the command refuses a certificate with another key or without one`() throws {
            let (one, two) = (try certificate("one"), try certificate("two"))
            let driver = CommandLineDriver()
            #expect(try driver.roost("init").status == 0)
            let refused = try driver.roost(
                "serve", "--port", "0", "--certificate", one.chain.path, "--key", two.key.path)
            #expect(refused.status == 78)
            #expect(refused.error.contains("does not belong to the first certificate"))
            let missing = try driver.roost("serve", "--port", "0", "--certificate", one.chain.path)
            #expect(missing.status == 64)
        }
    }
#endif
