import Foundation
import RoostFiles

/// The folder of a JSON store. Provides the paths of its files and the information that the file names
/// contain.
struct StoreFolder: Sendable, Hashable {
    let url: URL

    init(_ url: URL) { self.url = url }

    var path: String { url.path }

    /// The file that names the current generation.
    var current: URL { url.appendingPathComponent("CURRENT") }

    var mark: URL { url.appendingPathComponent("committed") }

    func lock(_ options: LocalStorageProvider.Options) -> URL {
        options.lockURL ?? url.appendingPathComponent("lock")
    }

    func generation(_ number: Int) -> URL { url.appendingPathComponent("generations/\(number)") }

    func journal(_ number: Int) -> URL { url.appendingPathComponent("journal-\(number).jsonl") }

    func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    // MARK: Contents

    /// Reads a whole file. Returns `nil` if the file does not exist.
    static func contents(of url: URL) throws -> Data? {
        do {
            let file = try FileDescriptor(url.path, O_RDONLY)
            return try file.read(at: 0, count: try file.size())
        } catch let error as FileError where error.isMissing {
            return nil
        }
    }

    /// Reads the record of the current generation.
    ///
    /// Another process can make the first commit between two reads. It writes `CURRENT` before everything else
    /// that shows a history, so `CURRENT` is read once more before it counts as missing.
    ///
    /// - Parameter read: Reads a whole file, for tests.
    /// - Returns: `nil` if the file does not exist, and whether anything was ever committed.
    func currentRecord(
        reading read: (URL) throws -> Data? = Self.contents
    ) throws -> (record: Data?, hasHistory: Bool) {
        if let record = try read(current) { return (record, true) }
        let hasHistory = hasHistory
        return (try read(current), hasHistory)
    }

    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }

    /// The numbers of the generations that have a folder, complete or not, in ascending order.
    var generationNumbers: [Int] {
        let folder = url.appendingPathComponent("generations").path
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
            .compactMap { Self.generationNumber($0) }.sorted()
    }

    var newestGeneration: Int { generationNumbers.last ?? 0 }

    var journalNumbers: [Int] { names.map(Self.number(ofJournal:)).filter { $0 > 0 }.sorted() }

    /// Returns the number of the generation that a journal belongs to, or 0 if the file is not a journal.
    static func number(ofJournal path: String) -> Int {
        journalDigits((path as NSString).lastPathComponent).flatMap { generationNumber($0) } ?? 0
    }

    /// Returns the digits in the name of a journal; `nil` if the name has another form, because the folder of
    /// another program can contain a file such as `journal-2026.md`.
    private static func journalDigits(_ name: String) -> Substring? {
        let (prefix, suffix) = ("journal-", ".jsonl")
        guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
        let digits = name.dropFirst(prefix.count).dropLast(suffix.count)
        return !digits.isEmpty && digits.allSatisfy { $0.isASCII && $0.isNumber } ? digits : nil
    }

    /// Returns the number of a generation that a part of a file name states; `nil` if no generation can have
    /// it. The half of the maximum leaves room for the generations that follow.
    private static func generationNumber(_ digits: some StringProtocol) -> Int? {
        Int(digits).flatMap { (0...Generation.maximumNumber / 2).contains($0) ? $0 : nil }
    }

    /// Whether files show that something was committed to the store, without regard to `CURRENT`.
    var hasHistory: Bool {
        if CommitMark(in: self) != nil { return true }
        if names.contains(where: { Self.journalDigits($0) != nil }) { return true }
        // A generation 1 without `CURRENT` does not count: it was left by a process that ended before its
        // first commit point.
        return generationNumbers.contains { $0 > 1 }
    }
}

/// The length of the journal after the last commit, in a ``MarkFile``.
struct CommitMark {
    var generation: Int
    var length: Int

    private static func file(in folder: StoreFolder) -> MarkFile {
        MarkFile(path: folder.mark.path, size: 64)
    }

    init(generation: Int, length: Int) { (self.generation, self.length) = (generation, length) }

    init?(in folder: StoreFolder) {
        guard let fields = Self.file(in: folder).read(), fields.count == 2, let generation = Int(fields[0]),
            let length = Int(fields[1])
        else { return nil }
        self.init(generation: generation, length: length)
    }

    func write(to folder: StoreFolder, _ files: FileSystem) {
        Self.file(in: folder).write(["\(generation)", "\(length)"], files: files)
    }
}
