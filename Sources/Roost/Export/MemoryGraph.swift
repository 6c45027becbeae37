public import Foundation
public import RoostModel

/// The entities and relations of the Model Context Protocol's reference memory server, which keeps them as
/// JSON Lines.
///
/// Each entity becomes one entry: its name is the title, its observations are the text. Relations become
/// links of the entity from which they start.
public struct MemoryGraph: Sendable, Hashable {
    private struct Line: Decodable {
        var type: String
        var name: String?
        var entityType: String?
        var observations: [String]?
        var from: String?
        var to: String?
        var relationType: String?
    }

    private struct Entity: Sendable, Hashable {
        var name: String
        var type = ""
        var observations: [String] = []
        /// The elements of ``observations``.
        private var known: Set<String> = []

        init(name: String) { self.name = name }

        /// Adds the observations that the entity does not have, and the type unless it has one.
        mutating func add(_ others: [String], type other: String?) {
            if type.isEmpty { type = other ?? "" }
            observations += others.filter { known.insert($0).inserted }
        }
    }

    private struct Relation: Sendable, Hashable {
        var type: String
        var target: String
    }

    /// The beginning of the ids of sources that are memory graphs.
    private static let sourcePrefix = "memory:"

    /// Returns the id of the source of a graph.
    ///
    /// - Parameter path: The path of the file, or another name of the graph.
    public static func source(ofPath path: String) -> Source.ID { sourcePrefix + path }

    /// Returns whether a source is an imported memory graph.
    static func isSource(_ id: Source.ID) -> Bool { id.hasPrefix(sourcePrefix) }

    /// The entities in the order of the file. An entity that the file contains twice has the observations of
    /// both, and the first type that is not empty.
    private var entities: [Entity] = []
    private var relations: [String: [Relation]] = [:]

    /// The number of entities.
    public var entityCount: Int { entities.count }
    /// The number of relations between entities of the file.
    public private(set) var relationCount = 0
    /// The numbers of the lines with relations of entities that the file does not contain.
    public private(set) var danglingLines: [Int] = []

    /// Returns whether data begins with a line of the reference memory server.
    public static func isPresent(in data: Data) -> Bool {
        let lines = data.split(separator: UInt8(ascii: "\n"))
        guard let first = lines.first(where: { !$0.allSatisfy(\.isJSONSpace) }),
            let line = try? JSONDecoder().decode(Line.self, from: Data(first))
        else { return false }
        return (line.type == "entity" && line.name != nil)
            || (line.type == "relation" && line.relationType != nil)
    }

    /// Reads the lines.
    ///
    /// - Parameter name: The name of the file for error messages.
    /// - Throws: ``RoostError`` with `.badInput` if a line is not an entity or a relation.
    public init(_ data: Data, name: String) throws {
        var positions: [String: Int] = [:]
        var edges: [(line: Int, from: String, relation: Relation)] = []
        let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, bytes) in lines.enumerated() where !bytes.allSatisfy(\.isJSONSpace) {
            let line = try? JSONDecoder().decode(Line.self, from: Data(bytes))
            if let line, line.type == "entity", let entity = line.name, !entity.isEmpty {
                if positions[entity] == nil {
                    positions[entity] = entities.count
                    entities.append(Entity(name: entity))
                }
                entities[positions[entity] ?? 0].add(line.observations ?? [], type: line.entityType)
            } else if let line, line.type == "relation", let from = line.from, let to = line.to {
                edges.append((index + 1, from, Relation(type: line.relationType ?? "", target: to)))
            } else {
                throw RoostError(
                    .badInput,
                    "cannot import \(name): line \(index + 1) is neither an entity nor a relation; nothing "
                        + "was imported")
            }
        }
        var known: [String: Set<Relation>] = [:]
        for edge in edges {
            guard positions[edge.from] != nil, positions[edge.relation.target] != nil else {
                danglingLines.append(edge.line)
                continue
            }
            guard known[edge.from, default: []].insert(edge.relation).inserted else { continue }
            relations[edge.from, default: []].append(edge.relation)
            relationCount += 1
        }
    }

    /// Returns the graph as a source of entries.
    ///
    /// - Parameters:
    ///   - id: The id of the source (``source(ofPath:)``). Only the relations of a source with such an id are
    ///     links to its entities. If it was imported before, entities that have vanished are removed.
    ///   - data: The bytes from which the graph was read.
    public func draft(id: String, of data: Data) -> SourceDraft {
        SourceDraft(
            id: id, fingerprint: SourceDraft.fingerprint(of: data),
            entries: entities.map { entity in
                let relations = relations[entity.name] ?? []
                var lines = ["# \(entity.name)"]
                if !entity.observations.isEmpty {
                    lines += [""] + entity.observations.map { "- \($0)" }
                }
                if !relations.isEmpty {
                    lines += [""] + relations.map { "\(entity.name) \($0.type) \($0.target)." }
                }
                var metadata: [String: MetadataValue] = ["title": .string(entity.name)]
                if !entity.type.isEmpty { metadata["entityType"] = .string(entity.type) }
                if !relations.isEmpty {
                    // Two entities can have several relations.
                    var linked: Set<String> = []
                    metadata["links"] = .array(
                        relations.map(\.target).filter { linked.insert($0).inserted }.map { .string($0) })
                    metadata["relations"] = .array(
                        relations.map { ["type": .string($0.type), "to": .string($0.target)] })
                }
                return EntryDraft(
                    key: entity.name, content: lines.joined(separator: "\n"), metadata: metadata)
            })
    }
}
