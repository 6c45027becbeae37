import ArgumentParser
import Foundation
import Roost
import RoostConversations
import RoostMemory
import RoostModel

/// Completes arguments with names from the store and from the user's models.
///
/// The completion script of bash expands the returned words like words of a command line, so a name from a
/// store could run a command. Only names of harmless characters are returned.
enum DynamicCompletion {
    /// The maximum number of names that are returned: more would not help a person to choose.
    private static let maximumCount = 200
    /// The maximum time to read entries, in seconds. A completion must appear at once, so the names of a
    /// large store are incomplete.
    private static let readingTime = 0.025
    /// The number of entries that are read at once.
    private static let pageSize = 200

    static let entries = CompletionKind.custom { words, _, prefix in
        await names(words) { try await entryIDs(beginning: prefix, $0) }
    }
    static let tags = CompletionKind.custom { words, _, _ in
        await names(words) { store in
            TagName.distinct(try await scan(store) { $0.tags.flatMap(TagName.withOuterTags) })
        }
    }
    static let metadataKeys = CompletionKind.custom { words, _, _ in
        await names(words) { store in try await scan(store) { Array($0.metadata.keys) } }
    }
    /// The properties by which entries are counted.
    static let properties = CompletionKind.custom { words, _, _ in
        EntryProperty.names + (await names(words) { try await scan($0) { Array($0.metadata.keys) } })
    }
    static let clusters = CompletionKind.custom { words, _, _ in
        await names(words, clusterNames)
    }
    /// The clusters, and the word that stands for none of them.
    static let clusterFilters = CompletionKind.custom { words, _, _ in
        await names(words) { store in [EntryFilter.unclusteredName] + (try await clusterNames(store)) }
    }
    private static func clusterNames(_ store: KnowledgeStore) async throws -> [String] {
        try await store.storage.snapshot().clusterRecords().flatMap { cluster in
            [described(String(cluster.id.text.prefix(8)), cluster.label), cluster.label]
        }
    }
    static let sessions = CompletionKind.custom { words, _, _ in
        await names(words) { store in
            Set(try await ConversationMemory(store).scopes(.all).map(\.sessionId)).sorted()
        }
    }
    /// The sources that are no files. The scripts add files to them (``CompletionScript``).
    static let sources = CompletionKind.custom { words, _, _ in
        await names(words, filter: usableSources, sourceIDs)
    }
    static let models = CompletionKind.custom { _, _, _ in modelNames }
    private static var modelNames: [String] {
        usable(
            UserDirectories().models.names() + ModelLibrary.aliases.keys.sorted() + [ModelLibrary.lexicalName]
        )
    }
    /// The values of the settings that have known ones.
    static let settingValues = CompletionKind.custom { words, _, _ in
        let index = words.lastIndex(of: ConfigurationCommand._commandName)
        let key = index.flatMap { index in words[(index + 1)...].first { !$0.hasPrefix("-") } }
        switch key {
        case "model": return modelNames
        case "provider": return ["sqlite", "json"]
        case "search-in": return SearchPlace.allCases.map(\.rawValue)
        default: return []
        }
    }
    static let settings = CompletionKind.list(UserConfiguration.keys.keys.sorted())

    /// Opens the store that the command line names and returns the names that a function reads from it. A
    /// store that is missing or cannot be opened has no names.
    ///
    /// - Parameter filter: Removes the names that a shell could interpret.
    private static func names(
        _ words: [String], filter: ([String]) -> [String] = { usable($0) },
        _ read: (KnowledgeStore) async throws -> [String]
    ) async -> [String] {
        guard let options = try? StoreOptions.parse(storeArguments(words)),
            let location = try? options.location(), StoreManifest.exists(in: location)
        else { return [] }
        // No model is opened: it takes time, and names need none.
        let store = try? await KnowledgeStore.open(in: location, recording: nil) { space in
            AbsentEmbedder(space: space, reason: CancellationError())
        }
        guard let store else { return [] }
        let found = (try? await read(store)) ?? []
        try? await store.close()
        return filter(found)
    }

    /// Returns the option `--store` among the words of a command line.
    static func storeArguments(_ words: [String]) -> [String] {
        if let joined = words.last(where: { $0.hasPrefix("--store=") }) { return [joined] }
        guard let index = words.lastIndex(of: "--store"), index + 1 < words.count else { return [] }
        return ["--store", words[index + 1]]
    }

    private static func entryIDs(beginning prefix: String, _ store: KnowledgeStore) async throws -> [String] {
        let digits = prefix.lowercased()
        guard digits.allSatisfy({ $0.isASCII && $0.isHexDigit || $0 == "-" }) else { return [] }
        let filter = digits.isEmpty ? EntryFilter.all : EntryFilter(idPrefix: digits)
        let page = try await store.storage.snapshot().entries(
            after: nil, limit: pageSize, matching: filter)
        return page.entries.map { entry in
            let isLong = digits.count > 8
            return described(isLong ? entry.id.text : String(entry.id.text.prefix(8)), entry.title ?? "")
        }
    }

    /// Returns the ids of the first sources that are no files: those with a record, and those of the first
    /// entries, because texts that are added one by one have none.
    private static func sourceIDs(_ store: KnowledgeStore) async throws -> [String] {
        let end = Date().addingTimeInterval(readingTime)
        let snapshot = try await store.storage.snapshot()
        var found = try await scan(store) { entry in
            entry.source.flatMap { $0.hasPrefix(fileScheme) ? nil : [$0] } ?? []
        }
        var next: Source.ID?
        repeat {
            let page = try await snapshot.sources(after: next, limit: pageSize)
            let ids = page.sources.map(\.id)
            found += ids.filter { !$0.hasPrefix(fileScheme) && !found.contains($0) }
            // There can be many files, so the rest of them is skipped.
            next = page.next.map { $0.hasPrefix(fileScheme) ? fileScheme + "\u{10FFFF}" : $0 }
        } while next != nil && found.count < maximumCount && Date() < end
        return found
    }

    private static let fileScheme = "file:"

    /// Returns the sources without those that a shell could interpret, in the form of the shell that asks.
    static func usableSources(_ ids: [String]) -> [String] {
        let isZsh = CompletionShell.requesting == .zsh
        let names = ids.lazy.filter { id in
            id.count <= 100 && id.first?.isLetter == true
                && id.unicodeScalars.allSatisfy { isHarmless($0) || ":#%".unicodeScalars.contains($0) }
        }
        // In zsh, a description follows a colon.
        return names.prefix(maximumCount).map { isZsh ? $0.replacing(":", with: "\\:") : $0 }
    }

    /// Returns the distinct names that a function finds in the first entries of the store, sorted.
    private static func scan(
        _ store: KnowledgeStore, _ names: (Entry) -> [String]
    ) async throws -> [String] {
        let end = Date().addingTimeInterval(readingTime)
        var found = Set<String>()
        for try await page in try await store.storage.snapshot().entryPages(pageSize: pageSize) {
            for entry in page.entries { found.formUnion(names(entry)) }
            if found.count >= maximumCount || Date() > end { break }
        }
        return found.sorted()
    }

    /// Returns a name with a description, in the form of the shell that asks.
    private static func described(_ name: String, _ description: String) -> String {
        let text = String(
            Terminal.line(description, limit: 40).unicodeScalars.filter { isHarmless($0) || $0 == " " })
        switch CompletionShell.requesting {
        case .fish?: return "\(name)\t\(text)"
        case .zsh?: return text.isEmpty ? name : "\(name):\(text)"
        default: return name
        }
    }

    /// Returns the names without those that a shell could interpret.
    static func usable(_ names: [String]) -> [String] {
        let shell = CompletionShell.requesting
        return Array(
            names.lazy.filter { text in
                // Only these shells separate a description. Elsewhere, the whole text is the name.
                let separator: Character? = shell == .fish ? "\t" : shell == .zsh ? ":" : nil
                let name = separator.map { mark in text.prefix { $0 != mark } } ?? text[...]
                let description = text[name.endIndex...].dropFirst()
                // The shells quote the spaces of a name when they insert it.
                return !name.isEmpty && name.count <= 100 && !name.hasPrefix("-") && !name.hasPrefix(" ")
                    && name.unicodeScalars.allSatisfy { isHarmless($0) || $0 == " " }
                    && description.unicodeScalars.allSatisfy { isHarmless($0) || $0 == " " }
            }.prefix(maximumCount))
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil
            || "-_./@+,".unicodeScalars.contains(scalar)
    }
}
