import Foundation
import HTTPTypes
import Hummingbird
import RoostModel

/// A request that has been checked against its route.
struct Call: Sendable {
    var request: Request
    /// The id of the request in logs and answers.
    var id: String
    /// The operation that the request calls (``Route/operation``).
    var operation: String
    /// The checked parameters by name.
    var values: [String: JSONValue]
    /// The checked JSON body; null without a body.
    var body: JSONValue = .null
    /// The bytes of the body, unless it is streamed.
    var bytes = Data()
    var context: ServerContext

    /// Returns a parameter as text; `nil` if it is absent.
    func string(_ name: String) -> String? { values[name]?.asString }

    /// Returns a parameter as text.
    ///
    /// - Throws: ``Problem`` if it is absent.
    func required(_ name: String) throws(Problem) -> String {
        guard let text = string(name) else { throw .invalid("the parameter '\(name)' is missing") }
        return text
    }

    /// Returns a whole number, or the default if the parameter is absent.
    func integer(_ name: String, default fallback: Int) -> Int { values[name]?.integer ?? fallback }

    /// Returns a Boolean; `false` if the parameter is absent.
    func flag(_ name: String) -> Bool { values[name]?.flag ?? false }

    /// Returns the strings of a repeated parameter.
    func strings(_ name: String) -> [String] { (values[name]?.elements ?? []).compactMap(\.asString) }

    /// Returns the id that a parameter of the path contains.
    ///
    /// - Throws: ``Problem`` with the status 404, because no object can have a malformed id.
    func id(_ name: String, of kind: String) throws(Problem) -> UUID {
        let text = try required(name)
        guard let id = UUID(uuidString: text) else {
            throw .notFound("no \(kind) has the id '\(text.prefix(80))', which is not a UUID")
        }
        return id
    }

    /// Returns a header field.
    func header(_ name: String) -> String? {
        HTTPField.Name(name).flatMap { request.headers[$0] }
    }
}
