import RoostMCP
import RoostModel

/// The member `error` of problems of operations in the forms of other servers. Clients of these servers read
/// their message from it.
enum CompatibleError {
    /// Returns the member; `nil` for paths whose clients read the problem itself.
    ///
    /// - Parameter problem: The members of the problem.
    static func member(for path: String, _ problem: [String: JSONValue]) -> JSONValue? {
        let texts = [problem["detail"], problem["advice"]].compactMap { $0?.asString }
        let message = JSONValue.string(texts.joined(separator: "; "))
        if path.hasPrefix("/v1/") {
            return [
                "message": message, "type": .string(type(ofStatus: problem["status"]?.integer ?? 0)),
                "param": .null, "code": problem["code"] ?? .null,
            ]
        }
        let isOfInference = path == "/embed" || path == "/info"
        let isOfOllama = path.hasPrefix("/api/") && !path.hasPrefix("/api/v1/")
        guard isOfInference || isOfOllama else { return .none }
        return message
    }

    /// Returns OpenAI's name for the kind of an error.
    private static func type(ofStatus status: Int) -> String {
        switch status {
        case 401: "authentication_error"
        case 403: "permission_error"
        case 500...: "server_error"
        default: "invalid_request_error"
        }
    }
}
