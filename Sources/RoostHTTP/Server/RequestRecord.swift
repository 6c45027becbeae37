import CoreMetrics
import HTTPTypes
import Logging

/// Records finished requests in the log and in the metrics. Neither contains the path or the query as the
/// client sent them, because they can contain text or secrets.
struct RequestRecord: Sendable {
    let logger: Logger
    let metrics: MetricsRegistry

    /// Records a request.
    ///
    /// - Parameters:
    ///   - path: The path of the route with placeholders.
    ///   - duration: The time until the answer began; for a stream, until it ended.
    func finish(
        _ method: HTTPRequest.Method, _ path: String, _ status: Int, code: String?, id: String,
        _ duration: Duration
    ) {
        let seconds = duration / .seconds(1)
        let dimensions = [("method", Self.name(of: method)), ("route", path)]
        Counter(
            label: "roost_http_requests_total", dimensions: dimensions + [("status", String(status))],
            factory: metrics
        ).increment()
        CoreMetrics.Timer(
            label: "roost_http_request_duration_seconds", dimensions: dimensions, factory: metrics
        ).recordNanoseconds(Int64(seconds * 1e9))
        var fields: Logger.Metadata = [
            "method": "\(Self.name(of: method))", "route": "\(path)", "status": .stringConvertible(status),
            "request": "\(id)", "milliseconds": .stringConvertible((seconds * 1e6).rounded() / 1e3),
        ]
        if let code { fields["problem"] = "\(code)" }
        logger.log(level: status >= 500 ? .error : .info, "request", metadata: fields)
    }

    /// Records that the answer to a request ended before it was complete.
    ///
    /// - Parameters:
    ///   - path: The path of the route with placeholders.
    ///   - code: The name of the problem.
    func failStream(_ path: String, code: String, id: String) {
        logger.warning(
            "the answer is incomplete and the connection was closed",
            metadata: ["route": "\(path)", "request": "\(id)", "problem": "\(code)"])
    }

    /// Returns the name of a standard method. Other names are chosen by the client.
    private static func name(of method: HTTPRequest.Method) -> String {
        let known: [HTTPRequest.Method] = [.get, .post, .put, .patch, .delete, .options, .head]
        return known.contains(method) ? method.rawValue : "OTHER"
    }
}
