#if OAuth
    package import Foundation
    import JWTKit

    /// Checks JSON Web Tokens with the public keys of their issuer.
    ///
    /// The keys are read when the first token is checked, once per hour, and when a token names an unknown
    /// key, at most once per minute. Only asymmetric keys are used.
    package actor JWTVerifier: AccessTokenVerifier {
        /// Reads a document from an address.
        package typealias Fetch = @Sendable (URL) async throws -> Data

        private struct Keys {
            var collection: JWTKeyCollection
            var names: Set<String>
        }

        private let issuer: String
        private let audience: String
        private let now: @Sendable () -> Date
        private let fetch: Fetch
        private var keys: Keys?
        private var lastAttempt: Date?
        private var reading: Task<Keys, any Error>?

        private static let lifetime: TimeInterval = 3_600
        private static let minimumInterval: TimeInterval = 60
        /// The permitted difference between the clocks of the issuer and the server, in seconds.
        private static let tolerance: TimeInterval = 30

        /// Creates a verifier.
        ///
        /// - Parameters:
        ///   - issuer: The value of the claim `iss`, whose metadata names the address of the keys.
        ///   - audience: The value that the claim `aud` must contain.
        ///   - now: Returns the current time.
        ///   - fetch: Reads the metadata and the keys of the issuer.
        package init(
            issuer: String, audience: String, now: @escaping @Sendable () -> Date = { Date() },
            fetch: @escaping Fetch
        ) {
            (self.issuer, self.audience, self.now, self.fetch) = (issuer, audience, now, fetch)
        }

        package func scopes(of token: String) async throws -> Set<String> {
            guard let name = Self.keyName(of: token) else { throw TokenRefusal.invalid }
            let keys = try await keys(with: name)
            guard keys.names.contains(name) else { throw TokenRefusal.invalid }
            let claims: Claims
            do {
                claims = try await keys.collection.verify(token, as: Claims.self)
            } catch {
                throw TokenRefusal.invalid
            }
            let now = now().timeIntervalSince1970
            guard claims.iss == issuer, claims.aud.values.contains(audience),
                claims.exp > now - Self.tolerance, (claims.nbf ?? now) <= now + Self.tolerance
            else { throw TokenRefusal.invalid }
            return claims.scopes
        }

        /// Returns the name of the key with which a token claims to be signed.
        private static func keyName(of token: String) -> String? {
            struct Header: Decodable { var kid: String }
            let parts = token.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 3 else { return nil }
            var text = String(parts[0]).replacing("-", with: "+").replacing("_", with: "/")
            text += String(repeating: "=", count: (4 - text.count % 4) % 4)
            return Data(base64Encoded: text).flatMap { try? JSONDecoder().decode(Header.self, from: $0) }?.kid
        }

        // MARK: Keys

        /// Returns the keys, which are read again if they are old or do not include the given one.
        private func keys(with name: String) async throws(TokenRefusal) -> Keys {
            let age = lastAttempt.map { now().timeIntervalSince($0) } ?? .infinity
            let isCurrent = keys.map { $0.names.contains(name) && age < Self.lifetime } ?? false
            if !isCurrent, reading != nil || age >= Self.minimumInterval {
                do {
                    keys = try await read()
                } catch {
                    // Keys that were read before stay valid while the issuer cannot be reached.
                }
            }
            guard let keys else { throw .unavailable }
            return keys
        }

        /// Reads the keys. Concurrent calls read them once.
        private func read() async throws -> Keys {
            if let reading { return try await reading.value }
            lastAttempt = now()
            let (issuer, fetch) = (issuer, fetch)
            let task = Task { try await Self.keys(of: issuer, fetch) }
            reading = task
            defer { reading = nil }
            return try await task.value
        }

        private static func keys(of issuer: String, _ fetch: Fetch) async throws -> Keys {
            struct Metadata: Decodable {
                var issuer: String
                var jwksURI: URL

                private enum CodingKeys: String, CodingKey {
                    case issuer
                    case jwksURI = "jwks_uri"
                }
            }
            var metadata: Metadata?
            for url in metadataAddresses(of: issuer) where metadata == nil {
                // An issuer has one of the documents.
                guard let data = try? await fetch(url) else { continue }
                metadata = try? JSONDecoder().decode(Metadata.self, from: data)
            }
            guard let metadata, metadata.issuer == issuer, ProtectedResource.isSecure(metadata.jwksURI) else {
                throw TokenRefusal.unavailable
            }
            let document = try JSONSerialization.jsonObject(with: try await fetch(metadata.jwksURI))
            let collection = JWTKeyCollection()
            var names: Set<String> = []
            for key in (document as? [String: Any])?["keys"] as? [[String: Any]] ?? [] {
                // Keys of other types or for other purposes can be in the same document.
                guard let name = key["kid"] as? String, key["use"] as? String ?? "sig" == "sig",
                    ["RSA", "EC", "OKP"].contains(key["kty"] as? String),
                    let data = try? JSONSerialization.data(withJSONObject: key),
                    let parsed = try? JSONDecoder().decode(JWK.self, from: data),
                    (try? await collection.add(jwk: parsed)) != nil
                else { continue }
                names.insert(name)
            }
            return Keys(collection: collection, names: names)
        }

        /// Returns the addresses at which an issuer can publish its metadata (RFC 8414, OpenID Connect
        /// Discovery).
        static func metadataAddresses(of issuer: String) -> [URL] {
            guard var parts = URLComponents(string: issuer) else { return [] }
            let path = parts.path.hasSuffix("/") ? String(parts.path.dropLast()) : parts.path
            return [
                "/.well-known/oauth-authorization-server\(path)",
                "\(path)/.well-known/openid-configuration",
                "/.well-known/openid-configuration\(path)",
            ].compactMap {
                parts.path = $0
                return parts.url
            }
        }
    }

    /// The claims of an access token (RFC 9068).
    ///
    /// The claim types of JWTKit are not used, because its type for audiences traps if there are none.
    private struct Claims: JWTPayload {
        var iss: String
        var aud: Audiences
        /// The times in seconds since 1970.
        var exp: Double
        var nbf: Double?
        /// The scopes, separated by spaces.
        var scope: String?

        var scopes: Set<String> { Set((scope ?? "").split(separator: " ").map(String.init)) }

        /// The verifier checks the claims, because it knows the expected values and the time.
        func verify(using algorithm: some JWTAlgorithm) {}
    }

    /// The audiences of a token, which are a string or an array of strings.
    private struct Audiences: Codable {
        var values: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let value = try? container.decode(String.self) {
                values = [value]
            } else {
                values = try container.decode([String].self)
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(values)
        }
    }
#endif
