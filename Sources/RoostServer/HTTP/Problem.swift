import Foundation
import HTTPTypes
import NIOHTTP1
import Roost
import RoostChunks
import RoostModel

/// An error of a request, in the form of RFC 9457 (problem details).
struct Problem: Error, Sendable {
    var status: HTTPResponse.Status
    var code: String
    /// A sentence about this occurrence; it contains no stored text.
    var detail: String
    var remedy: Remedy?
    /// The number of seconds after which a repetition may succeed.
    var retryAfter: Int?
    var headers = HTTPFields()

    init(
        _ status: HTTPResponse.Status, _ code: String, _ detail: String, remedy: Remedy? = nil,
        retryAfter: Int? = nil
    ) {
        (self.status, self.code, self.detail) = (status, code, detail)
        (self.remedy, self.retryAfter) = (remedy, retryAfter)
    }

    static func invalid(_ detail: String) -> Problem { Problem(.badRequest, "invalidRequest", detail) }

    static func notFound(_ detail: String) -> Problem { Problem(.notFound, "notFound", detail) }

    /// The problem of a request that the server could answer at another time.
    static let busy = Problem(
        .serviceUnavailable, "busy", "too many requests at the same time; try again", retryAfter: 1)

    static let mediaType = "application/problem+json"

    func json(advice: (Remedy) -> String?, requestID: String) -> JSONValue {
        var members: [String: JSONValue] = [
            "type": .string("urn:roost:problem:\(code)"), "title": .string(status.reasonPhrase),
            "status": .integer(Int64(status.code)), "detail": .string(detail), "code": .string(code),
            "requestId": .string(requestID),
        ]
        if let remedy {
            members["remedy"] = .string(remedy.rawValue)
            if let advice = advice(remedy) { members["advice"] = .string(advice) }
        }
        return .object(members)
    }
}

extension Problem {
    init(_ error: any Error) {
        switch error {
        case let error as Problem: self = error
        case let error as OperationError: self.init(error)
        case let error as RoostError:
            self.init(Self.status(error.code), error.code.rawValue, error.message, remedy: error.remedy)
        case let error as StorageError:
            self.init(
                Self.status(error.code), error.code.rawValue, error.message, remedy: error.remedy,
                retryAfter: error.isRetryable ? 1 : nil)
        case let error as EmbedderError:
            let isTemporary = error.code == .unavailable || error.isRetryable
            self.init(
                .serviceUnavailable, error.code.rawValue, error.message, remedy: error.remedy,
                retryAfter: isTemporary ? 5 : 60)
        case let error as ClusteringError:
            self.init(.conflict, "clustering", error.message)
        case let error as ChunkStorageError:
            // The descriptions have the names of files and chunks, but no text.
            let status = Self.status(error)
            self.init(
                status, "backup", error.description,
                remedy: status == Self.insufficientStorage ? .freeSpace : nil)
        case let error as BackupError:
            self.init(
                error.code == .notFound ? .notFound : .conflict, "backup", error.message, remedy: error.remedy
            )
        case is HTTPParserError:
            self.init(
                .badRequest, "invalidRequest",
                "the body is not valid HTTP/1.1, or is shorter than its announced length")
        case is CancellationError:
            self.init(.serviceUnavailable, "stopped", "the server stopped the request", retryAfter: 1)
        default:
            // The text of an unknown error could contain stored text, so only its type is reported.
            self.init(
                .internalServerError, "internal", "the request failed with the error \(type(of: error))")
        }
    }

    private init(_ error: OperationError) {
        switch error.code {
        case .invalid: self = .invalid(error.message)
        case .notFound: self = .notFound(error.message)
        case .forbidden: self.init(.forbidden, "readOnly", error.message)
        case .conflict: self.init(.conflict, "conflict", error.message)
        case .changed: self.init(.preconditionFailed, "changed", error.message)
        case .expired: self.init(.gone, "cursorExpired", error.message)
        }
    }

    private static func status(_ error: ChunkStorageError) -> HTTPResponse.Status {
        switch error {
        case .storageFull: insufficientStorage
        case .storageUnavailable: .serviceUnavailable
        default: .conflict
        }
    }

    private static let insufficientStorage = HTTPResponse.Status(
        code: 507, reasonPhrase: "Insufficient Storage")

    private static func status(_ code: RoostError.Code) -> HTTPResponse.Status {
        switch code {
        case .badInput: .badRequest
        case .notFound, .noInput: .notFound
        case .emptyStore, .nothingToUndo, .spaceMismatch, .storeExists: .conflict
        case .noStore: .serviceUnavailable
        default: .internalServerError
        }
    }

    private static func status(_ code: StorageError.Code) -> HTTPResponse.Status {
        switch code {
        case .conflict: .conflict
        case .notFound: .gone
        case .invalidBatch, .dimensionMismatch: .badRequest
        case .locked, .closed: .serviceUnavailable
        case .full: insufficientStorage
        case .readOnly: .forbidden
        default: .internalServerError
        }
    }
}
