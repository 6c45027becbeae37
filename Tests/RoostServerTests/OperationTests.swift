import Foundation
import NIOHTTP1
import Roost
import RoostConversations
import RoostModel
import TestSupport
import Testing

@testable import RoostServer

/// Tests that an operation has the same input and the same JSON in every front end.
@Suite(.temporaryFolders) struct OperationTests {
    /// A store with entries, messages and clusters, and the names of some of them.
    private struct Sample {
        let store: KnowledgeStore
        let entry: JSONValue
        let cluster: JSONValue
        let label: JSONValue

        init(_ store: KnowledgeStore) async throws {
            self.store = store
            for number in 0..<6 {
                try await store.add("tomato soil garden water seeds plant \(number)", tags: ["garden"])
                try await store.add("engine piston gearbox oil brake motor \(number)")
            }
            let added = try await store.add(
                "the swift above the roof", tags: ["birds"],
                metadata: ["year": 2026, DocumentKey.links: ["b.md"]])
            entry = .string(added.id.text)
            let scope = ChatScope(userId: "default", sessionId: "default", agentId: "default")
            _ = try await ConversationMemory(store).remember(Self.drafts, in: scope)
            _ = try await store.recluster(clusters: 2)
            let cluster = try #require(try await store.storage.snapshot().clusterRecords().first)
            self.cluster = .string(cluster.id.text)
            _ = try await store.clusters.label(cluster.id, as: "My label")
            label = "My label"
        }

        private static let drafts = [
            MessageDraft(
                role: .user, content: "My sister plays the cello.",
                timestamp: Date(timeIntervalSince1970: 1e9))
        ]

        /// Inputs that find the store, or leave it, in the same state.
        var inputs: [String: [String: JSONValue]] {
            [
                "search": ["query": "swift roof", "tags": ["birds"], "limit": 2],
                "fetch": ["id": entry], "clusters": ["query": "garden"],
                "cluster_members": ["cluster": cluster, "limit": 2],
                "recall": ["query": "cello"], "status": [:], "count": ["by": ["tag", "year"]],
                "remember": ["text": "the swift above the roof", "tags": ["birds"]],
                "remember_messages": [
                    "messages": [
                        [
                            "role": "user", "content": "My sister plays the cello.",
                            "timestamp": "2001-09-09T01:46:40Z",
                        ]
                    ]
                ],
                "update": ["id": entry, "addTags": ["birds"]], "forget": ["ids": [entry]],
                "recluster": ["clusters": 2, "dryRun": true], "list": ["limit": 3],
                "cluster": ["cluster": label], "move_entries": ["cluster": cluster, "entries": [entry]],
                "label_cluster": ["cluster": cluster, "label": label], "cluster_diff": [:],
                "conversations": [:], "messages": ["user": "default"], "sources": [:], "backups": [:],
                "links": ["id": entry], "check": [:],
                "tag_entries": ["entries": [entry], "addTags": ["birds"]],
            ]
        }
    }

    /// The operations whose repetition has another result.
    private static let notRepeatable: Set = [
        "remove", "remove_cluster", "merge_clusters", "split_cluster", "create_backup", "undo",
    ]

    @Test(arguments: Operations.all.map(\.name).filter { !notRepeatable.contains($0) })
    func `an operation has the same JSON in every front end`(name: String) async throws {
        let folder = try TemporaryFolder().url
        let store = try await KnowledgeStore.create(at: folder, embedder: LexicalEmbedder())
        let sample = try await Sample(store)
        let operation = try #require(Operations.all.first { $0.name == name })
        let input = try #require(sample.inputs[name])
        // The first call may change the store.
        var operations = Operations(StoreHandle { store }, version: "test")
        operations.directory = folder
        _ = try await operations.run(operation, input)
        let expected = try await operations.run(operation, input).json
        if operation.isTool { #expect(await MCPHarness(store: store).call(name, .object(input)) == expected) }
        try await HTTPHarness.run(HTTPHarness.settings { $0.directory = folder }, store: store) { harness in
            let (method, path, body) = Self.request(operation, input)
            let answer = try await harness.send(method, path, body)
            #expect(answer.status == 200 && answer.json == expected, "\(answer.text)")
        }
        try await store.close()
    }

    private static func request(
        _ operation: AnyOperation, _ input: [String: JSONValue]
    ) -> (HTTPMethod, String, JSONValue?) {
        var (path, rest) = (operation.route.path, input)
        for (name, value) in input where path.contains("{\(name)}") {
            path = path.replacing("{\(name)}", with: text(value))
            rest[name] = nil
        }
        let method = HTTPMethod(rawValue: operation.route.method.rawValue.uppercased())
        guard method == .GET || method == .DELETE else { return (method, path, .object(rest)) }
        let pairs = rest.flatMap { name, value in (value.elements ?? [value]).map { "\(name)=\(text($0))" } }
        return (method, pairs.isEmpty ? path : path + "?" + pairs.joined(separator: "&"), nil)
    }

    private static func text(_ value: JSONValue) -> String {
        let text = value.string ?? String(decoding: value.serialized(), as: UTF8.self)
        return text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    /// The commands with `--json`, the input of their operations, and the member of the output that they print.
    private static func commands(
        _ sample: Sample
    ) -> [(name: String, command: [String], input: [String: JSONValue], member: String?)] {
        let (entry, cluster) = (sample.entry.string ?? "", sample.cluster.string ?? "")
        let text = "the swift above the roof"
        return [
            ("remember", ["add", text, "--tag=birds"], ["text": .string(text), "tags": ["birds"]], nil),
            (
                "update", ["edit", entry, "--meta=year=2026", "--add-tag=birds"],
                ["id": sample.entry, "addTags": ["birds"], "metadata": ["year": "2026"]], nil
            ),
            ("forget", ["remove", entry, "--dry-run"], ["ids": [sample.entry]], nil),
            (
                "label_cluster", ["cluster", "label", cluster, "My", "label"],
                ["cluster": sample.cluster, "label": sample.label], nil
            ),
            (
                "move_entries", ["cluster", "move", entry, "--to=my lab"],
                ["cluster": sample.cluster, "entries": [sample.entry]], nil
            ),
            (
                "search", ["query", "swift roof"],
                ["query": "swift roof", "includeText": true, "positions": true], "results"
            ),
            ("fetch", ["show", entry], ["id": sample.entry], nil),
            ("list", ["list", "--tag=garden"], ["tags": ["garden"]], "entries"),
            (
                "count", ["list", "--by=tag", "--by=year", "--tag=garden"],
                ["by": ["tag", "year"], "tags": ["garden"]], "counts"
            ),
            ("clusters", ["cluster", "list"], [:], "clusters"),
            ("clusters", ["cluster", "find", "garden"], ["query": "garden"], "clusters"),
            ("cluster", ["cluster", "show", cluster], ["cluster": sample.cluster], nil),
            ("cluster_members", ["cluster", "show", cluster], ["cluster": sample.cluster], "members"),
            ("cluster_diff", ["cluster", "diff"], [:], nil),
            ("recluster", ["recluster", "--clusters=2", "--dry-run"], ["clusters": 2, "dryRun": true], nil),
            ("conversations", ["chat", "list"], [:], "conversations"),
            ("messages", ["chat", "show", "default"], ["session": "default"], "messages"),
            ("recall", ["chat", "search", "cello"], ["query": "cello"], "messages"),
            ("backups", ["backup", "list"], [:], "backups"), ("status", ["status"], [:], nil),
            ("links", ["show", entry, "--links"], ["id": sample.entry], "links"),
            ("check", ["doctor"], [:], "findings"),
        ]
    }

    @Test func `the command prints the JSON of an operation`() async throws {
        let cli = CommandLineDriver()
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        let store = try await KnowledgeStore.open(at: cli.home.appendingPathComponent("s")) { _ in
            LexicalEmbedder()
        }
        let sample = try await Sample(store)
        let created = try cli.roost("backup", "create", "--json", "--store=s")
        #expect(try JSONValue(json: Data(created.output.utf8))["encrypted"] == false, "\(created)")
        // A second move of the same entry moves nothing.
        let entry = try #require(sample.entry.string)
        #expect(try cli.roost("cluster", "move", entry, "--to=my lab", "--store=s").status == 0)
        // The check reports the remains of a repair.
        let kept = cli.home.appendingPathComponent("s/damaged-1")
        try FileManager.default.createDirectory(at: kept, withIntermediateDirectories: false)
        for (name, command, input, member) in Self.commands(sample) {
            let outcome = try cli.roost(command + ["--json", "--store=s"])
            let printed = try JSONValue(json: Data(outcome.output.utf8))
            let operation = try #require(Operations.all.first { $0.name == name })
            var operations = Operations(StoreHandle { store }, version: printed["version"]?.string ?? "")
            operations.directory = cli.home.appendingPathComponent("s")
            operations.backups.folder = cli.home.appendingPathComponent(".local/share/roost/backups")
            let json = try await operations.run(operation, input).json
            #expect(name != "links" && name != "check" || json[member ?? ""]?.elements?.count == 1, "\(json)")
            if let member {
                #expect((printed.elements == nil ? printed[member] : printed) == json[member], "\(outcome)")
            } else {
                // Two commands add facts: about the files of the store, and the members of a cluster.
                let members = try #require(json.members)
                let own = ["status": 20, "cluster": 2][name] ?? 0
                #expect((printed.members?.count ?? 0) <= members.count + own, "\(command)")
                #expect(printed.members?.filter { members[$0.key] != nil } == members, "\(command)")
            }
        }
        try await store.close()
    }

    /// The commands whose repetition has another result.
    @Test func `commands that remove and join clusters print the JSON of their operations`() async throws {
        let cli = CommandLineDriver()
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        let store = try await KnowledgeStore.open(at: cli.home.appendingPathComponent("s")) { _ in
            LexicalEmbedder()
        }
        let sample = try await Sample(store)
        func printed(_ arguments: String...) throws -> JSONValue {
            let outcome = try cli.roost(arguments + ["--json", "--store=s"])
            return try JSONValue(json: Data(outcome.output.utf8))
        }
        func output(_ name: String, _ input: [String: JSONValue]) async throws -> JSONValue {
            try await Operations(StoreHandle { store }).run(Operations.named(name), input).json
        }
        let split = try printed("cluster", "split", "My label", "--into=2")
        let parts = try #require(split["clusters"]?.elements)
        for part in parts {
            #expect(try await output("cluster", ["cluster": try #require(part["id"])]) == part)
        }
        let ids = parts.compactMap { $0["id"]?.string }
        let merged = try printed("cluster", "merge", ids[0], ids[1])
        #expect(try await output("cluster", ["cluster": .string(ids[0])]) == merged)
        let size = try #require(merged["size"])
        #expect(try printed("cluster", "delete", ids[0]) == ["removed": .string(ids[0]), "entries": size])
        let removed = try printed("remove", try #require(sample.entry.string))
        #expect(removed["removed"] == 1 && removed["entries"]?.elements?.first?["id"] == sample.entry)
        #expect(removed["notices"] == nil)
        try await store.close()
    }

    @Test(arguments: Operations.all.indices)
    func `the parameters of an operation are its stored properties and those of its groups`(index: Int) {
        let operation = Operations.all[index]
        let names = operation.parameters.map(\.name)
        #expect(Set(names).count == names.count)
        let stored = operation.storedSchema["properties"]?.members?.keys.map(\.self) ?? []
        #expect(Set(stored).subtracting(names) == [], "\(operation.name)")
        for parameter in operation.parameters {
            guard let property = operation.storedSchema["properties"]?[parameter.name] else { continue }
            let types = parameter.schema["type"]?.elements ?? [parameter.schema["type"] ?? .null]
            #expect(types.contains(property["type"] ?? .null), "\(operation.name) \(parameter.name)")
        }
        let required = Set(operation.storedSchema.strings("required"))
        #expect(required.isSubset(of: operation.parameters.filter { $0.use == .required }.map(\.name)))
    }

    @Test func `an operation that the rules forbid does not run`() async throws {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        let sample = try await Sample(store)
        var operations = Operations(StoreHandle { store })
        for change: (inout AccessRules) -> Void in [
            { $0.isReadOnly = true }, { $0.tags = ["garden"] }, { $0.sourcePrefix = "file:///notes/" },
            { $0.scope = ChatScope(userId: "a", sessionId: "b", agentId: "c") },
        ] {
            operations.rules = AccessRules()
            change(&operations.rules)
            let revision = try await store.storage.snapshot().stamp.revision
            for operation in Operations.all where !operations.rules.permits(operation.access) {
                await #expect(throws: OperationError.self) {
                    try await operations.run(operation, sample.inputs[operation.name] ?? [:])
                }
            }
            #expect(try await store.storage.snapshot().stamp.revision == revision)
            #expect(operations.permitted.count < Operations.all.count)
        }
    }
}
