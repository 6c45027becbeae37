#if OAuth
    import Foundation
    import JWTKit
    import Synchronization
    import Testing

    @testable import RoostAuthorization

    struct JWTVerifierTests {
        private struct Claims: JWTPayload {
            var iss = "https://login.example.com/tenant"
            var aud = ["https://notes.example.com/mcp"]
            var exp = ExpirationClaim(value: Date(timeIntervalSince1970: 2_000))
            var nbf: NotBeforeClaim?
            var scope: String? = "notes:read notes:write"

            func verify(using algorithm: some JWTAlgorithm) {}
        }

        /// An authorization server, whose keys and clock the tests change.
        private final class Issuer: Sendable {
            struct State {
                var keys: [String: ES256PrivateKey] = ["one": ES256PrivateKey()]
                var time = Date(timeIntervalSince1970: 1_000)
                var requests: [String] = []
                var isReachable = true
                var name = "https://login.example.com/tenant"
            }

            let state = Mutex(State())

            func verifier() -> JWTVerifier {
                JWTVerifier(
                    issuer: "https://login.example.com/tenant", audience: "https://notes.example.com/mcp",
                    now: { self.state.withLock(\.time) }, fetch: { try self.document(at: $0) })
            }

            private struct NotFound: Error {}

            private func document(at url: URL) throws -> Data {
                try state.withLock { state in
                    state.requests.append(url.path)
                    guard state.isReachable else { throw NotFound() }
                    switch url.absoluteString {
                    case "https://login.example.com/.well-known/oauth-authorization-server/tenant":
                        return Data(
                            #"{"issuer": "\#(state.name)", "jwks_uri": "https://login.example.com/keys"}"#
                                .utf8)
                    case "https://login.example.com/keys":
                        let keys = try state.keys.map { name, key in
                            let point = try #require(key.publicKey.parameters)
                            return #"{"kty": "EC", "crv": "P-256", "alg": "ES256", "kid": "\#(name)", "#
                                + #""x": "\#(Self.url(point.x))", "y": "\#(Self.url(point.y))"}"#
                        }
                        let others = [
                            #"{"kty": "oct", "kid": "secret", "k": "AAAA"}"#,
                            #"{"kty": "RSA", "kid": "bad"}"#,
                        ]
                        return Data(#"{"keys": [\#((others + keys).joined(separator: ","))]}"#.utf8)
                    default: throw NotFound()
                    }
                }
            }

            /// Converts base64 to the alphabet of URLs.
            private static func url(_ text: String) -> String {
                text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
            }

            func token(_ claims: Claims = Claims(), key: String = "one") async throws -> String {
                let signer = state.withLock { $0.keys[key] } ?? ES256PrivateKey()
                let collection = await JWTKeyCollection().add(
                    ecdsa: signer, kid: JWKIdentifier(string: key))
                return try await collection.sign(claims, kid: JWKIdentifier(string: key))
            }
        }

        private static func refusal(_ verifier: JWTVerifier, _ token: String) async -> TokenRefusal? {
            do {
                _ = try await verifier.scopes(of: token)
                return nil
            } catch {
                return error as? TokenRefusal
            }
        }

        @Test func `the scopes of a valid token are returned`() async throws {
            let issuer = Issuer()
            let verifier = issuer.verifier()
            #expect(try await verifier.scopes(of: issuer.token()) == ["notes:read", "notes:write"])
            var claims = Claims()
            claims.aud = ["another", "https://notes.example.com/mcp"]
            claims.scope = nil
            #expect(try await verifier.scopes(of: issuer.token(claims)) == [])
            #expect(issuer.state.withLock { $0.requests.count } == 2)
        }

        @Test func `tokens of other issuers, audiences and times are refused`() async throws {
            let issuer = Issuer()
            let verifier = issuer.verifier()
            let changes: [@Sendable (inout Claims) -> Void] = [
                { $0.iss = "https://evil.example.com" }, { $0.aud = ["https://other.example.com/mcp"] },
                { $0.aud = [] }, { $0.exp = ExpirationClaim(value: Date(timeIntervalSince1970: 900)) },
                { $0.nbf = NotBeforeClaim(value: Date(timeIntervalSince1970: 1_500)) },
            ]
            for change in changes {
                var claims = Claims()
                change(&claims)
                #expect(await Self.refusal(verifier, try issuer.token(claims)) == .invalid)
            }
            // A difference of some seconds between the clocks is permitted.
            var claims = Claims()
            claims.exp = ExpirationClaim(value: Date(timeIntervalSince1970: 990))
            #expect(await Self.refusal(verifier, try issuer.token(claims)) == nil)
        }

        @Test func `forged and malformed tokens are refused`() async throws {
            let issuer = Issuer()
            let verifier = issuer.verifier()
            let token = try await issuer.token()
            let parts = token.split(separator: ".").map(String.init)
            let unsigned = Data(#"{"alg":"none","kid":"one"}"#.utf8).base64EncodedString()
                .replacing("=", with: "")
            let symmetric = Data(#"{"alg":"HS256","kid":"one"}"#.utf8).base64EncodedString()
                .replacing("=", with: "")
            let forged = try await Issuer().token()
            for text in [
                "", "a.b.c", "..", parts[0] + "." + parts[1] + ".", unsigned + "." + parts[1] + ".",
                symmetric + "." + parts[1] + "." + parts[2], forged, token + "x",
                parts[0] + "." + parts[1].dropLast() + "A." + parts[2],
                try await issuer.token(key: "secret"), try await issuer.token(key: "bad"),
            ] {
                #expect(await Self.refusal(verifier, text) == .invalid, "\(text)")
            }
        }

        @Test func `new keys are read, at most once per minute`() async throws {
            let issuer = Issuer()
            let verifier = issuer.verifier()
            _ = try await verifier.scopes(of: issuer.token())
            issuer.state.withLock { $0.keys["two"] = ES256PrivateKey() }
            let token = try await issuer.token(key: "two")
            #expect(await Self.refusal(verifier, token) == .invalid)
            issuer.state.withLock { $0.time += 61 }
            #expect(await Self.refusal(verifier, token) == nil)
            let count = issuer.state.withLock { $0.requests.count }
            for _ in 0..<10 { _ = await Self.refusal(verifier, try issuer.token(key: "three")) }
            #expect(issuer.state.withLock { $0.requests.count } == count)
        }

        @Test func `known keys stay valid while the issuer cannot be reached`() async throws {
            let issuer = Issuer()
            let token = try await issuer.token()
            issuer.state.withLock { $0.isReachable = false }
            let verifier = issuer.verifier()
            #expect(await Self.refusal(verifier, token) == .unavailable)
            issuer.state.withLock { ($0.isReachable, $0.time) = (true, $0.time + 61) }
            #expect(await Self.refusal(verifier, token) == nil)
            issuer.state.withLock { ($0.isReachable, $0.time) = (false, Date(timeIntervalSince1970: 5_000)) }
            var claims = Claims()
            claims.exp = ExpirationClaim(value: Date(timeIntervalSince1970: 6_000))
            #expect(await Self.refusal(verifier, try issuer.token(claims)) == nil)
        }

        @Test func `metadata of another issuer is refused`() async throws {
            let issuer = Issuer()
            issuer.state.withLock { $0.name = "https://evil.example.com" }
            #expect(await Self.refusal(issuer.verifier(), try issuer.token()) == .unavailable)
        }
    }
#endif
