package import Foundation
import NIOCore
import Synchronization

/// An object store on the loopback interface that fails on request.
package final class FakeObjectStore: Sendable {
    package enum Fault: Sendable, CaseIterable {
        case internalError
        case slowDown
        /// Closes the connection without executing the request.
        case hangsUp
        /// Executes the request, then closes the connection without answering.
        case losesAnswer
        /// Sends half of the answer, then nothing more.
        case stalls
        /// Sends half of the answer, then closes the connection.
        case cutsOff
        case wrongByte
        /// Returns an unrelated page, as a captive portal would.
        case portal
    }

    private let objects = Mutex<[String: (data: Data, headers: [String: String])]>([:])
    private let fault = Mutex<@Sendable (FakeServer.Request, Int) -> Fault?>({ _, _ in nil })
    private let count = Mutex(0)
    private let server = Mutex<FakeServer?>(nil)

    package init() async throws {
        let server = try await FakeServer { [weak self] request, _ in
            self?.answer(request) ?? .init(status: 500)
        }
        self.server.withLock { $0 = server }
    }

    package var address: String { server.withLock { $0?.address } ?? "" }
    package var requestCount: Int { count.withLock { $0 } }
    package var names: [String] { objects.withLock { $0.keys.sorted() } }

    package func close() async { await server.withLock { $0 }?.close() }

    /// Sets the faults for the following requests, and restarts the request count.
    ///
    /// - Parameter fault: Receives the request and its number, from 1; returns `nil` for a correct answer.
    package func fail(_ fault: @escaping @Sendable (FakeServer.Request, Int) -> Fault?) {
        count.withLock { $0 = 0 }
        self.fault.withLock { $0 = fault }
    }

    /// A copy of all objects, which ``restore(_:)`` accepts.
    package var state: [String: (data: Data, headers: [String: String])] { objects.withLock { $0 } }

    package func restore(_ state: [String: (data: Data, headers: [String: String])]) {
        objects.withLock { $0 = state }
    }

    private func answer(_ request: FakeServer.Request) -> FakeServer.Answer {
        let number = count.withLock {
            $0 += 1
            return $0
        }
        let fault = fault.withLock { $0 }(request, number)
        switch fault {
        case .internalError: return Self.error(500, "InternalError")
        case .slowDown: return Self.error(503, "SlowDown", ["Retry-After": "0"])
        case .hangsUp: return .init(hangsUp: true)
        case .portal: return .init(body: Data("<html><body>Please sign in</body></html>".utf8))
        default: break
        }
        var answer = carryOut(request)
        switch fault {
        case .losesAnswer: return .init(hangsUp: true)
        case .stalls where answer.body.count > 1: answer.stalls = true
        case .stalls: return .init(delay: .hours(1))
        case .cutsOff where answer.body.count > 1: answer.cutsOff = true
        case .cutsOff: return .init(hangsUp: true)
        case .wrongByte
        where answer.status == 200 && !answer.body.isEmpty && request.path.contains("?") == false:
            answer.body[answer.body.count / 2] ^= 1
        default: break
        }
        return answer
    }

    private static func error(
        _ status: Int, _ code: String, _ headers: [String: String] = [:]
    ) -> FakeServer.Answer {
        .init(status: status, headers: headers, body: Data("<Error><Code>\(code)</Code></Error>".utf8))
    }

    private func carryOut(_ request: FakeServer.Request) -> FakeServer.Answer {
        let parts = request.path.split(separator: "?", maxSplits: 1).map(String.init)
        let key = parts.first?.removingPercentEncoding ?? ""
        let query = parts.count > 1 ? parts[1] : ""
        return objects.withLock { objects in
            switch request.method {
            case "PUT":
                if request.headers["if-none-match"] == "*", objects[key] != nil {
                    return Self.error(412, "PreconditionFailed")
                }
                var headers = request.headers.filter { $0.key.hasPrefix("x-amz-meta-") }
                headers["ETag"] = "\"\(request.body.count)\""
                objects[key] = (request.body, headers)
                return .init(headers: ["ETag": headers["ETag"] ?? ""])
            case "DELETE":
                objects[key] = nil
                return .init(status: 204)
            case "GET" where query.contains("list-type=2"):
                return .init(body: Self.list(objects.mapValues(\.data.count), bucket: key, query))
            case "GET", "HEAD":
                guard let object = objects[key] else { return Self.error(404, "NoSuchKey") }
                if request.headers["range"] != nil {
                    guard !object.data.isEmpty else { return Self.error(416, "InvalidRange") }
                    return .init(status: 206, headers: object.headers, body: object.data.prefix(1))
                }
                return .init(headers: object.headers, body: object.data)
            default: return Self.error(501, "NotImplemented")
            }
        }
    }

    /// Returns a page of a listing, with at most two names.
    ///
    /// - Parameter sizes: The sizes of all objects, by their names.
    private static func list(_ sizes: [String: Int], bucket: String, _ query: String) -> Data {
        func value(_ name: String) -> String {
            let field = query.split(separator: "&").first { $0.hasPrefix(name + "=") }
            return field.map { String($0.dropFirst(name.count + 1)) }?.removingPercentEncoding ?? ""
        }
        let prefix = value("prefix")
        let names = sizes.keys.sorted().compactMap {
            $0.hasPrefix(bucket + "/") ? String($0.dropFirst(bucket.count + 1)) : nil
        }
        .filter { $0.hasPrefix(prefix) && $0 > value("continuation-token") }
        let page = names.prefix(2)
        let isTruncated = names.count > page.count
        let token = isTruncated ? "<NextContinuationToken>\(page.last ?? "")</NextContinuationToken>" : ""
        return Data(
            ("<ListBucketResult><IsTruncated>\(isTruncated)</IsTruncated>\(token)"
                + page.map { name in
                    let size = sizes["\(bucket)/\(name)"] ?? 0
                    return "<Contents><Key>\(name)</Key><Size>\(size)</Size></Contents>"
                }.joined() + "</ListBucketResult>").utf8)
    }
}
