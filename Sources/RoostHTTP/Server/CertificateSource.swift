#if TLS
    import Foundation
    import Logging
    import NIOSSL
    import Synchronization

    /// The certificate of a server, which is read again when its files have changed.
    final class CertificateSource: Sendable {
        private struct State {
            var context: NIOSSLContext
            var changed: [Date?]
            var checked: ContinuousClock.Instant
        }

        private let certificate: ServerSettings.Certificate
        private let interval: Duration
        private let state: Mutex<State>
        /// The maximum size of a file in bytes. A certificate chain has a few kilobytes.
        private static let maximumBytes = 1 << 20

        /// Reads a certificate.
        ///
        /// - Parameter interval: The time between two checks of the files.
        /// - Throws: ``ServerError`` if a file is missing or invalid, or the key belongs to another
        ///   certificate.
        init(_ certificate: ServerSettings.Certificate, checkedEvery interval: Duration = .seconds(2)) throws
        {
            (self.certificate, self.interval) = (certificate, interval)
            // The dates are read first, so that a change in the meantime is noticed later.
            let changed = Self.dates(certificate)
            state = Mutex(State(context: try Self.context(certificate), changed: changed, checked: .now))
        }

        /// Returns the times at which the files were changed. Files can be symbolic links, whose targets are
        /// replaced when a certificate is renewed.
        private static func dates(_ certificate: ServerSettings.Certificate) -> [Date?] {
            [certificate.chain, certificate.key].map { file in
                let path = file.resolvingSymlinksInPath().path
                // A missing file counts as changed; reading it reports the fault.
                return (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
            }
        }

        private static func context(
            _ certificate: ServerSettings.Certificate
        ) throws(ServerError) -> NIOSSLContext {
            let (chainFile, keyFile) = (certificate.chain.path, certificate.key.path)
            let chainBytes = try bytes(of: certificate.chain, "certificate")
            guard let chain = try? NIOSSLCertificate.fromPEMBytes(chainBytes), !chain.isEmpty else {
                throw ServerError(
                    "cannot use the certificate \(chainFile): it contains no certificate in PEM format; give "
                        + "the file with the certificate chain")
            }
            let keyBytes = try bytes(of: certificate.key, "private key")
            guard let key = try? NIOSSLPrivateKey(bytes: keyBytes, format: .pem) else {
                throw ServerError(
                    "cannot use the private key \(keyFile): it contains no private key in PEM format, or the "
                        + "key has a passphrase; give a key without a passphrase")
            }
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
            configuration.minimumTLSVersion = .tlsv12
            do {
                return try NIOSSLContext(configuration: configuration)
            } catch {
                throw ServerError(
                    "cannot use the private key \(keyFile): it does not belong to the first certificate in "
                        + "\(chainFile)")
            }
        }

        /// Returns the contents of a file.
        private static func bytes(of file: URL, _ kind: String) throws(ServerError) -> [UInt8] {
            // Without O_NONBLOCK, a named pipe without a writer would block.
            let descriptor = open(file.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else {
                throw ServerError("cannot read the \(kind) \(file.path): \(String(cString: strerror(errno)))")
            }
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            guard let data = try? handle.read(upToCount: maximumBytes + 1) ?? Data(),
                data.count <= maximumBytes
            else {
                throw ServerError(
                    "cannot read the \(kind) \(file.path): it is not a file of at most \(maximumBytes) bytes")
            }
            return Array(data)
        }

        /// Returns the context for a new connection. If the new files are invalid, the previous certificate
        /// stays in use.
        func context(_ logger: Logger) -> NIOSSLContext {
            state.withLock { state in
                guard ContinuousClock.now - state.checked >= interval else { return state.context }
                state.checked = .now
                let changed = Self.dates(certificate)
                guard changed != state.changed else { return state.context }
                // An invalid certificate is reported once, and read again when its files change.
                state.changed = changed
                do {
                    state.context = try Self.context(certificate)
                    logger.info("read the new certificate")
                } catch {
                    logger.error(
                        "cannot read the new certificate; the previous one stays in use",
                        metadata: ["error": "\(error)"])
                }
                return state.context
            }
        }
    }
#endif
