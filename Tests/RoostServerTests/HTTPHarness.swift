import Foundation
import HTTPTypes
import Logging
import NIOHTTP1
import Roost
import RoostModel
import Synchronization
import Testing

@testable import RoostRemote
@testable import RoostServer

/// A server over a store in memory, and a client.
///
/// Every answer is checked against the OpenAPI document: its status must be documented, and a JSON body must
/// match the schema of the status and have no undeclared members.
struct HTTPHarness {
    struct Answer {
        var status: Int
        var headers: HTTPHeaders
        var body: Data
        /// The JSON value of the body; null if the body is not JSON.
        var json: JSONValue { (try? JSONDecoder().decode(JSONValue.self, from: body)) ?? .null }
        var text: String { String(decoding: body, as: UTF8.self) }
    }

    static let token = "test-token-0123456789"

    let store: KnowledgeStore
    let port: Int
    /// The client of tests. Its time limits are long, because tests also run on busy machines.
    static let client = HTTPClient(connectTimeout: .seconds(1200), pauseTimeout: .seconds(1200))

    static func settings(_ change: (inout ServerSettings) -> Void) -> ServerSettings {
        var settings = ServerSettings()
        settings.port = 0
        settings.version = "test"
        // On a busy machine, requests can take longer than the usual time after which the server closes an
        // idle connection. A connection closed right after such a request fails the next one.
        settings.limits.idleTime = .seconds(3600)
        change(&settings)
        return settings
    }

    static func run(
        _ settings: ServerSettings = settings { _ in }, store: KnowledgeStore? = nil,
        _ body: @escaping @Sendable (HTTPHarness) async throws -> Void
    ) async throws {
        let store = store ?? KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        let (ports, continuation) = AsyncStream<Int>.makeStream()
        let server = APIServer(
            StoreHandle { store }, settings, token: AccessToken(token),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) { continuation.yield($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            group.addTask {
                var iterator = ports.makeAsyncIterator()
                let port = try #require(await iterator.next())
                try await body(HTTPHarness(store: store, port: port))
            }
            // The body ends first; the server runs until it is canceled.
            try await group.next()
            group.cancelAll()
            while true {
                do {
                    guard try await group.next() != nil else { break }
                } catch {}
            }
        }
    }

    /// Sends a request and returns the answer.
    ///
    /// - Parameter headers: Header fields; an empty value removes a field that is sent by default.
    func send(
        _ method: HTTPMethod, _ path: String, _ body: JSONValue? = nil, _ headers: [String: String] = [:]
    ) async throws -> Answer {
        try await send(
            method, path, bytes: body.map { $0.serialized() },
            ["Content-Type": body == nil ? "" : "application/json"].merging(headers) { $1 })
    }

    func send(
        _ method: HTTPMethod, _ path: String, bytes: Data?, _ headers: [String: String]
    ) async throws -> Answer {
        var call = HTTPCall(
            HTTPRequest.Method(rawValue: method.rawValue) ?? .get, "http://127.0.0.1:\(port)\(path)",
            headers: [.authorization: "Bearer \(Self.token)"], body: bytes)
        for (name, value) in headers {
            let name = try #require(HTTPField.Name(name))
            call.headers[name] = value.isEmpty ? nil : value
        }
        let received = try await Self.client.send(
            call, timeout: .seconds(1200), limit: BodyLimit(size: 64 << 20, timeout: .seconds(1200)))
        let answer = Answer(
            status: received.status,
            headers: HTTPHeaders(received.headers.map { ($0.name.rawName, $0.value) }), body: received.body)
        check(answer, method, path)
        return answer
    }

    private struct Enough: Error {}

    /// Sends a request and reads the answer until it has everything that is needed.
    ///
    /// - Parameter isEnough: Receives the head of the answer and the text so far.
    /// - Returns: The text.
    static func stream(
        _ call: HTTPCall, isEnough: @escaping @Sendable (HTTPAnswer, String) -> Bool
    ) async throws -> String {
        let state = Mutex((answer: HTTPAnswer(status: 0), text: ""))
        do {
            try await client.stream(
                call, timeout: .seconds(1200), limit: BodyLimit(size: 1 << 24, timeout: .seconds(1200))
            ) { answer in
                state.withLock { $0.answer = answer }
            } body: { bytes in
                let (answer, text) = state.withLock { state in
                    state.text += String(decoding: bytes, as: UTF8.self)
                    return state
                }
                if isEnough(answer, text) { throw Enough() }
            }
        } catch is Enough {}
        return state.withLock { $0.text }
    }

    /// Checks an answer against the OpenAPI document.
    private func check(_ answer: Answer, _ method: HTTPMethod, _ path: String) {
        guard
            case .route(let route, _) = RouteTable(APIServer.routes).match(
                .init(rawValue: method.rawValue)!, String(path.prefix { $0 != "?" }))
        else { return }
        let documented = Set(route.answers.map(\.status)).union(route.problems.keys)
        #expect(documented.contains(answer.status), "\(method) \(route.path): \(answer.text)")
        let schema: JSONValue?
        if let found = route.answers.first(where: { $0.status == answer.status }) {
            let type = answer.headers["Content-Type"].first ?? ""
            let types = ([found.body].compactMap(\.self) + found.alternatives).map(\.mediaType)
            #expect(types.isEmpty ? type.isEmpty : types.contains { type.hasPrefix($0) }, "\(type)")
            guard type == "application/json", method != .HEAD else { return }
            schema = found.body?.schema
        } else {
            #expect(answer.headers["Content-Type"] == ["application/problem+json"])
            guard method != .HEAD else { return }
            schema = Problem.schema
        }
        guard let schema else { return }
        // The document declares every member of the answers.
        let fault = SchemaCheck(components: OpenAPIDocument.components, permitsUndeclared: false)
            .fault(in: answer.json, schema, at: "answer")
        #expect(fault == nil, "\(method) \(route.path)")
    }
}
