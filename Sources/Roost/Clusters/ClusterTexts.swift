import Foundation
import RoostClustering
import RoostEncoders
import RoostModel
import RoostText

extension ClusterAssembly {
    /// Counts the words of entries, except those of boilerplate lines and of the hidden parts of texts.
    mutating func countTexts(
        of snapshot: any StorageSnapshot, without boilerplate: BoilerplateLines = BoilerplateLines([])
    ) async throws {
        let common = try await FolderNames.common(in: snapshot)
        try await snapshot.entryPages().forEachAhead { page in
            for entry in page.entries {
                let text = entry.labelText
                let counted = boilerplate.removing(from: text) ?? text
                count(
                    counted, title: entry.title, of: entry.id,
                    folders: entry.folderNames.filter { !common.contains($0) } + entry.tags)
            }
        }
    }

    /// Embeds the phrases from which labels are made, so that labels are chosen by their meaning. Does
    /// nothing if the embedder only compares words.
    ///
    /// - Returns: A message for the user if the embedder is unavailable; labels are then chosen by the
    ///   frequencies of words alone.
    mutating func embedPhrases(with embedder: any Embedder) async throws -> String? {
        let texts = preparePhrases()
        guard !texts.isEmpty, embedder.space.model != ModelLibrary.lexicalName else { return nil }
        do {
            let vectors = try await embedder.checkedEmbeddings(texts, as: .document).vectors
            useMeanings(
                of: Dictionary(texts.enumerated().map { ($1, vectors.row($0)) }) { first, _ in first })
            return nil
        } catch let error as CancellationError {
            throw error
        } catch {
            return "labels were chosen by the frequencies of words alone, because the embedding model is "
                + "unavailable: \(error)"
        }
    }
}

extension Entry {
    /// The visible text from which labels are made, after a title that is not part of it.
    fileprivate var labelText: String {
        let text = visibleText
        let heading = structure?.sections.first { !$0.headings.isEmpty }?.headings.last
        guard let title = Self.title(in: metadata), title != heading else { return text }
        return "\(title)\n\n\(text)"
    }

    /// The names of the folders that contain the entry, the outermost first: those of its file or, for a row
    /// whose key is a path such as `sports/123`, those of the key.
    var folderNames: [String] {
        if let key, key != EntryID.wholeFileKey {
            return key.split(separator: "/").dropLast().suffix(FolderNames.maximumCount).map(String.init)
        }
        return source.map(FolderNames.names(ofSource:)) ?? []
    }
}

/// The names of the folders of ingested files, which contribute to the labels of clusters.
enum FolderNames {
    /// The maximum number of folders of a file that are considered. Folders further up seldom name a subject.
    static let maximumCount = 2
    /// The maximum share of the files that a folder contains if its name says something about their subject.
    /// The ingested folder itself usually contains all of them.
    private static let maximumShare = 0.5

    static func names(ofSource source: String) -> [String] {
        guard let url = URL(string: source), url.isFileURL else { return [] }
        return url.pathComponents.dropLast().filter { $0 != "/" }.suffix(maximumCount)
    }

    /// Returns the names that more than half of the entries from files have.
    static func common(in snapshot: any StorageSnapshot) async throws -> Set<String> {
        // A folder usually has many entries, so its names are determined only once.
        var counts: [Substring: Int] = [:]
        for try await page in snapshot.headerPages() {
            try Task.checkCancellation()
            for source in page.headers.lazy.compactMap(\.source) {
                guard let end = source.utf8.lastIndex(of: UInt8(ascii: "/")) else { continue }
                counts[source[...end], default: 0] += 1
            }
        }
        var (totals, all) = ([String: Int](), 0)
        for (folder, count) in counts {
            let names = Set(names(ofSource: "\(folder)file"))
            for name in names { totals[name, default: 0] += count }
            if !names.isEmpty { all += count }
        }
        return Set(totals.filter { Double($0.value) > maximumShare * Double(all) }.keys)
    }
}
