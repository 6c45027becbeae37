import Foundation
import Roost
import RoostModel

/// A thing that a front end can do. Its stored properties are its input.
///
/// HTTP, agents (MCP) and the command line render operations: the schemas, the help and the JSON come from here. The
/// parameters that several operations share, such as those of ``EntrySelection``, are read from the context.
protocol Operation: Decodable, Sendable {
    /// The result. Its JSON is the same in every front end.
    associatedtype Output: Codable & Sendable

    /// The name of the tool and of the function of generated clients.
    static var name: String { get }
    /// The effect, in one sentence.
    static var summary: String { get }
    /// When to use the operation, and further rules.
    static var details: String { get }
    static var access: OperationAccess { get }
    static var parameters: [Argument] { get }
    static var route: OperationRoute { get }
    /// Whether agents are offered the operation. The descriptions of all tools use at most 1,500 tokens of an agent's
    /// context, so only eight operations are tools.
    static var isTool: Bool { get }
    /// Whether the calls of one agent are executed in their order.
    static var keepsOrder: Bool { get }

    /// Executes the operation. ``Operations`` has checked the input and the access.
    func run(in context: OperationContext) async throws -> Output

    static func head(of output: Output) -> OperationHead
}

extension Operation {
    static var details: String { "" }
    static var isTool: Bool { false }
    static var keepsOrder: Bool { false }
    static func head(of output: Output) -> OperationHead { OperationHead() }
}

/// The effect of an operation, and the part of a store that it needs.
struct OperationAccess: Sendable {
    enum Effect: Sendable {
        case reads
        /// The operation adds data, and a repeated call has no further effect.
        case adds
        /// The operation changes or removes data, and a repeated call has no further effect.
        case changes
    }

    enum Part: Sendable {
        /// The visible entries and messages.
        case texts
        case entries
        case newEntries
        case messages
        /// All of the store, which clusters are computed from.
        case everything
    }

    var effect: Effect
    var part: Part

    init(_ effect: Effect, _ part: Part) { (self.effect, self.part) = (effect, part) }
}

struct Argument: Sendable {
    enum Use: Sendable {
        case optional, required
        /// Tools do not list the argument. Long lists of arguments use up the context of agents.
        case programs
    }

    var name: String
    var schema: JSONValue
    var use: Use
    /// The field that contains the argument in a request over HTTP.
    var header: String?

    init(_ name: String, _ schema: JSONValue, _ use: Use = .optional, header: String? = nil) {
        (self.name, self.schema, self.use, self.header) = (name, schema, use, header)
    }
}

/// The address of an operation over HTTP. `{name}` in the path is a parameter.
struct OperationRoute: Sendable {
    enum Method: String, Sendable { case get, post, patch, delete }

    var method: Method
    var path: String

    init(_ method: Method, _ path: String) { (self.method, self.path) = (method, "/api/v1" + path) }

    /// The heading in the documentation, such as `Entries`.
    var tag: String { (path.split(separator: "/").dropFirst(2).first ?? "").capitalized }
}

struct OperationHead: Sendable {
    /// The address of a created object, whose answer has the status 201.
    var location: String?
    var revision: String?
}

/// An operation could not be carried out, and the client can correct its request or choose another one.
package struct OperationError: Error, Sendable, Hashable {
    package enum Code: String, Sendable {
        case invalid, notFound, forbidden, conflict
        /// The entry has changed since the revision that the client named.
        case changed
        /// The store has changed since the previous page.
        case expired
    }

    package var code: Code
    /// A sentence for the person or program that made the request.
    package var message: String

    init(_ message: String, _ code: Code = .invalid) { (self.message, self.code) = (message, code) }
}

/// An operation without its types.
struct AnyOperation: Sendable {
    let name: String
    let summary: String
    let details: String
    let access: OperationAccess
    let parameters: [Argument]
    let route: OperationRoute
    let isTool: Bool
    let keepsOrder: Bool
    fileprivate let run: @Sendable (OperationContext) async throws -> OperationResult
    private let types: (stored: any (Decodable & Sendable).Type, output: any (Decodable & Sendable).Type)

    init<Wrapped: Operation>(_ type: Wrapped.Type) {
        (name, summary, details) = (type.name, type.summary, type.details)
        (access, parameters, route) = (type.access, type.parameters, type.route)
        (isTool, keepsOrder) = (type.isTool, type.keepsOrder)
        types = (type, Wrapped.Output.self)
        run = { context in
            let output = try await context.decode(type).run(in: context)
            return OperationResult(json: try JSONValue.encoding(output), head: Wrapped.head(of: output))
        }
    }

    /// The schemas of the stored properties and of the output, which are derived from the types.
    var storedSchema: JSONValue { TypeSchema.schema(of: types.stored) }
    var outputSchema: JSONValue { TypeSchema.schema(of: types.output) }

    var title: String { name.prefix(1).uppercased() + name.dropFirst().replacing("_", with: " ") }

    /// Returns the schema of the input as a JSON object.
    func inputSchema(named name: String? = nil, where isIncluded: (Argument) -> Bool) -> JSONValue {
        let included = parameters.filter(isIncluded)
        return Schema.object(
            named: name, Dictionary(uniqueKeysWithValues: included.map { ($0.name, $0.schema) }),
            required: included.filter { $0.use == .required }.map(\.name))
    }
}

struct OperationResult: Sendable {
    var json: JSONValue
    var head: OperationHead
}

/// The operations on a store, with the rules for one front end.
package struct Operations: Sendable {
    let handle: StoreHandle
    var rules: AccessRules
    var version: String
    /// The folder of the store, for backups; `nil` for a store without a folder.
    var directory: URL?
    var backups = BackupSettings()
    /// Whether the front end serves agents: answers have a token budget, unless the input states otherwise, and texts are
    /// stored without white space around them.
    var servesAgents = false

    package init(_ handle: StoreHandle, _ rules: AccessRules = AccessRules(), version: String = "") {
        (self.handle, self.rules, self.version) = (handle, rules, version)
    }

    /// Returns an operation.
    ///
    /// - Precondition: An operation has the name.
    static func named(_ name: String) -> AnyOperation {
        guard let operation = all.first(where: { $0.name == name }) else {
            preconditionFailure("no operation is called \(name)")
        }
        return operation
    }

    package static func summary(of name: String) -> String { named(name).summary }

    /// The sentence that tells people and programs what the score of a hit is.
    package static var scoreMeaning: String { Search.scoreMeaning }

    package static func help(_ parameter: String, of name: String) -> String {
        let parameters = named(name).parameters
        return parameters.first { $0.name == parameter }?.schema["description"]?.string ?? ""
    }

    /// Executes an operation for a command.
    package func output<Output: Decodable>(
        of name: String, _ input: [String: JSONValue]
    ) async throws -> Output {
        let json = try await run(Self.named(name), input).json
        return try JSONDecoder().decode(Output.self, from: json.serialized())
    }

    static let all: [AnyOperation] = [
        AnyOperation(Search.self), AnyOperation(FetchEntry.self), AnyOperation(ListClusters.self),
        AnyOperation(ListClusterMembers.self), AnyOperation(Recall.self), AnyOperation(ReadStatus.self),
        AnyOperation(CountEntries.self), AnyOperation(AddEntry.self), AnyOperation(RememberMessages.self),
        AnyOperation(UpdateEntry.self), AnyOperation(ForgetEntries.self), AnyOperation(Recluster.self),
        AnyOperation(ListEntries.self), AnyOperation(RemoveEntry.self), AnyOperation(ReadCluster.self),
        AnyOperation(MoveEntries.self), AnyOperation(LabelCluster.self), AnyOperation(RemoveCluster.self),
        AnyOperation(MergeClusters.self), AnyOperation(SplitCluster.self), AnyOperation(CompareClusters.self),
        AnyOperation(ListConversations.self), AnyOperation(ListMessages.self), AnyOperation(ListSources.self),
        AnyOperation(UndoChange.self), AnyOperation(CreateBackup.self), AnyOperation(ListBackups.self),
        AnyOperation(ListLinks.self), AnyOperation(CheckStore.self), AnyOperation(TagEntries.self),
    ]

    var permitted: [AnyOperation] { Self.all.filter { rules.permits($0.access) } }

    /// Executes an operation. This is the only place that decides whether a front end may use it; the context restricts
    /// the entries and messages.
    func run(
        _ operation: AnyOperation, _ arguments: [String: JSONValue],
        report: @escaping @Sendable (Int, String) -> Void = { _, _ in }
    ) async throws -> OperationResult {
        guard rules.permits(operation.access) else {
            throw OperationError("this server does not permit '\(operation.name)'", .forbidden)
        }
        let body: @Sendable (KnowledgeStore) async throws -> OperationResult = { store in
            try await operation.run(
                OperationContext(
                    operations: self, operation: operation.name, arguments: arguments, store: store,
                    snapshot: try await store.storage.snapshot(), report: report,
                    input: JSONValue.object(arguments).serialized()))
        }
        return operation.access.effect == .reads
            ? try await handle.use(body) : try await handle.change(body)
    }
}
