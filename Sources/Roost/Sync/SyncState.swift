import Foundation
import RoostFiles
import RoostModel

/// The files of a synced folder as of the last sync: their status and the fingerprints of their sources, so
/// that unchanged files are not read.
///
/// The state is derived data in the file `folders/ID` of the store's folder. Without it, or if it is damaged,
/// the next sync reads all files.
struct SyncState: Sendable {
    struct File: Sendable, Hashable {
        /// The status of the file before it was read.
        var status: FileStatus
        var source: Source.ID
        /// The fingerprint of its source; empty if the file could not be read.
        var fingerprint: String
        var entries: Int
        /// The reason why the file could not be read; empty if it was read.
        var problem: String

        func isCurrent(in record: Source?) -> Bool {
            record.map { $0.fingerprint == fingerprint } ?? fingerprint.isEmpty
        }
    }

    /// The files by their paths relative to the folder.
    var files: [ExactText: File] = [:] { didSet { isChanged = true } }
    /// The revision of the store at which the entries of all files were in the store; `nil` if the next sync
    /// has to check them.
    var checked: ChangeCursor? { didSet { isChanged = isChanged || checked != oldValue } }
    private(set) var isChanged = false

    private struct Metadata: Codable {
        var format: Int
        var count: Int
        var key: String
        var checked: ChangeCursor?
    }

    private static let format = 1
    private static let sectionName = "files"
    /// The size in bytes of a file with empty texts.
    private static let minimumRecordSize = 4 * 8 + 4 + 4 * 4

    init() {}

    /// Returns the state of a file that has the same status as at the last sync; `nil` for other files.
    func unchanged(_ file: FolderWalk.File) -> File? {
        files[ExactText(file.relativePath)].flatMap { $0.status == file.status ? $0 : nil }
    }

    static func folder(in directory: URL) -> URL {
        directory.appendingPathComponent("folders", isDirectory: true)
    }

    private static func url(of folder: SyncedFolder, in directory: URL) -> URL {
        Self.folder(in: directory).appendingPathComponent(folder.id.text)
    }

    /// Reads the state of a folder. It is empty if the file is missing or damaged, or if all files have to be
    /// read again (``SyncedFolder/readingKey``).
    init(of folder: SyncedFolder, in directory: URL?) {
        guard let directory, let file = try? SectionFile(Self.url(of: folder, in: directory)),
            let metadata = try? JSONDecoder().decode(Metadata.self, from: file.metadata),
            metadata.format == Self.format, metadata.key == folder.readingKey,
            (try? file.verify(Self.sectionName)) != nil, let bytes = try? file.section(Self.sectionName),
            let files = try? Self.files(bytes, count: metadata.count)
        else { return }
        self.files = files
        checked = metadata.checked
        isChanged = false
    }

    private static func files(
        _ bytes: UnsafeRawBufferPointer, count: Int
    ) throws(BinaryReader.InvalidData) -> [ExactText: File] {
        var reader = BinaryReader(bytes)
        guard count >= 0, count <= bytes.count / minimumRecordSize else { throw .init() }
        var files = [ExactText: File](minimumCapacity: count)
        for _ in 0..<count {
            let path = ExactText(try reader.string())
            let status = FileStatus(
                size: try reader.read(), modified: try reader.read(), changed: try reader.read(),
                inode: try reader.read())
            files[path] = File(
                status: status, source: try reader.string(), fingerprint: try reader.string(),
                entries: Int(try reader.read(UInt32.self)), problem: try reader.string())
        }
        guard reader.remaining == 0 else { throw .init() }
        return files
    }

    mutating func save(of folder: SyncedFolder, in directory: URL?) throws {
        guard let directory, isChanged else { return }
        var writer = BinaryWriter()
        for (path, file) in files {
            writer.write(counted: path.text.utf8)
            writer.write(file.status.size)
            writer.write(file.status.modified)
            writer.write(file.status.changed)
            writer.write(file.status.inode)
            writer.write(counted: file.source.utf8)
            writer.write(counted: file.fingerprint.utf8)
            writer.write(UInt32(clamping: file.entries))
            writer.write(counted: file.problem.utf8)
        }
        let metadata = try JSONEncoder().encode(
            Metadata(format: Self.format, count: files.count, key: folder.readingKey, checked: checked))
        let url = Self.url(of: folder, in: directory)
        try FileSystem.standard.createFolder(url.deletingLastPathComponent())
        try writer.bytes.withUnsafeBytes {
            try SectionFile.write(to: url, metadata: metadata, sections: [(Self.sectionName, $0)])
        }
        isChanged = false
    }

    static func remove(of folder: SyncedFolder, in directory: URL) throws {
        try FileSystem.standard.unlink(url(of: folder, in: directory).path)
    }
}
