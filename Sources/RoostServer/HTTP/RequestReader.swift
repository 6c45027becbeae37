import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import RoostModel

/// Reads the parameters and the body of a request and checks them against the route.
struct RequestReader: Sendable {
    let limits: ServerSettings.Limits
    let check: SchemaCheck

    func parameters(
        of request: HTTPRequest, query: String?, path: [String: String], _ route: Route
    ) throws(Problem) -> [String: JSONValue] {
        var values: [String: JSONValue] = [:]
        let query = try Self.pairs(of: query ?? "")
        let parameters = route.parameters
        let known = Set(parameters.filter { $0.location == .query }.map(\.name))
        if let unknown = query.map(\.name).first(where: { !known.contains($0) }) {
            let names = known.sorted().joined(separator: ", ")
            throw .invalid(
                "the query has the unknown parameter '\(unknown.prefix(80))'; "
                    + (known.isEmpty
                        ? "the operation has no query parameters" : "known parameters: \(names)"))
        }
        for parameter in parameters {
            let texts: [String] =
                switch parameter.location {
                case .path: path[parameter.name].map { [$0] } ?? []
                case .query: query.filter { $0.name == parameter.name }.map(\.value)
                case .header:
                    HTTPField.Name(parameter.name).flatMap { request.headerFields[$0] }.map { [$0] } ?? []
                }
            guard !texts.isEmpty else {
                guard parameter.isRequired else { continue }
                throw .invalid("the parameter '\(parameter.name)' is missing")
            }
            guard parameter.isRepeatable || texts.count == 1 else {
                throw .invalid("the parameter '\(parameter.name)' is given twice")
            }
            let items = parameter.schema["items"] ?? parameter.schema
            let parsed = texts.map { Schema.value(of: $0, items) }
            let value = parameter.isRepeatable ? JSONValue.array(parsed) : parsed[0]
            if let fault = check.fault(in: value, parameter.schema, at: "the parameter '\(parameter.name)'") {
                throw .invalid(fault)
            }
            values[parameter.name] = value
        }
        return values
    }

    private static func pairs(of query: String) throws(Problem) -> [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        for part in query.split(separator: "&") {
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let texts = halves.map { $0.replacing("+", with: " ").removingPercentEncoding }
            guard let name = texts[0], let value = texts.count > 1 ? texts[1] : "" else {
                throw .invalid("the query contains an invalid percent-encoding")
            }
            pairs.append((name, value))
        }
        return pairs
    }

    /// Returns the bytes of the body, and leaves them in the request: Hummingbird does not notice the end of
    /// a body that was read without it, and ends the process when the client of a stream disconnects.
    func bytes(of request: inout Request) async throws -> Data {
        let limit = limits.bodyBytes
        let tooLarge = Problem(.contentTooLarge, "bodyTooLarge", "the body is larger than \(limit) bytes")
        if let length = request.headers[.contentLength].flatMap(Int.init), length > limit { throw tooLarge }
        return try await bytes(of: &request, upTo: limit, orThrow: tooLarge)
    }

    private func bytes(
        of request: inout Request, upTo limit: Int, orThrow tooLarge: Problem
    ) async throws -> Data {
        let body = request.body
        do {
            let bytes = try await Deadline.run(within: limits.transferTime) {
                var bytes = ByteBuffer()
                for try await part in body {
                    guard bytes.readableBytes + part.readableBytes <= limit else { throw tooLarge }
                    bytes.writeImmutableBuffer(part)
                }
                return bytes
            }
            request.body = RequestBody(buffer: bytes)
            return Data(bytes.readableBytesView)
        } catch is Deadline.Exceeded {
            throw Problem(.requestTimeout, "timeout", "the body did not arrive in time")
        }
    }

    /// The maximum length in bytes of the body of a request that needs none.
    private static let unusedBytes = 64

    /// Refuses the body of a request to an operation that takes none, because its members would be ignored.
    /// An empty object is permitted, since some clients always send one.
    func rejectBody(of request: inout Request) async throws {
        let refusal = Problem.invalid("the operation takes no body")
        guard (request.headers[.contentLength].flatMap(Int.init) ?? 0) <= Self.unusedBytes else {
            throw refusal
        }
        let bytes = try await bytes(of: &request, upTo: Self.unusedBytes, orThrow: refusal)
        guard !bytes.isEmpty else { return }
        guard let value = try? JSONValue(json: bytes), value == [:] else { throw refusal }
    }

    /// Returns the JSON value of a body.
    func json(_ bytes: Data, _ headers: HTTPFields, _ body: Route.Body) throws(Problem) -> JSONValue {
        let type = (headers[.contentType] ?? body.mediaType).split(separator: ";").first ?? ""
        let name = type.trimmingCharacters(in: .whitespaces).lowercased()
        guard name == body.mediaType || (body.mediaType == "application/json" && name.hasSuffix("+json"))
        else {
            throw Problem(
                .unsupportedMediaType, "unsupportedMediaType", "the body must have the type \(body.mediaType)"
            )
        }
        let value: JSONValue
        if bytes.isEmpty {
            guard body.isOptional else { throw .invalid("the body is empty; it must be a JSON value") }
            value = [:]
        } else {
            do {
                value = try JSONValue(json: bytes)
            } catch {
                throw .invalid("the body is not valid JSON: \(error)")
            }
        }
        if let fault = check.fault(in: value, body.schema, at: "body") { throw .invalid(fault) }
        return value
    }
}
