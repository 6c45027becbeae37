import Foundation
import RoostFiles

/// The record of a server on this computer, by which `roost open` finds the one of a store.
///
/// The server keeps the file of the record locked. A record without a lock is ignored: the process has ended, and
/// the program of another user may have its port by now, which must not get the token.
struct RunningServer: Codable {
    /// The address of the page, without the token.
    var address: String
    var isReadOnly: Bool
    /// The name of the computer: a home folder on a file server belongs to several.
    var computer = Self.thisComputer

    private static var thisComputer: String {
        var name = [UInt8](repeating: 0, count: 256)
        _ = name.withUnsafeMutableBytes {
            gethostname($0.assumingMemoryBound(to: CChar.self).baseAddress!, $0.count - 1)
        }
        return String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
    }

    private static func file(of store: URL) -> URL {
        let path = store.resolvingSymlinksInPath().path
        let name = Hexadecimal.text(SHA256.hash(Data(path.utf8)).prefix(16))
        return UserDirectories().data.appendingPathComponent("servers/\(name)")
    }

    /// Records the server until the returned lock is released. Returns `nil` if it is not recorded, for example
    /// because another server of the store is.
    func record(for store: URL) -> FileLock? {
        let file = Self.file(of: store)
        do {
            try FileSystem.standard.createFolder(file.deletingLastPathComponent())
            let lock = try FileLock.acquire(file, timeout: 0.05)
            // The file must stay the locked one, so it is not replaced.
            try JSONEncoder().encode(self).write(to: file)
            return lock
        } catch {
            return nil
        }
    }

    /// Returns the running server of a store.
    static func of(_ store: URL) -> RunningServer? {
        let file = file(of: store)
        do {
            guard try FileLock.shared(file) == nil else { return nil }
            let server = try JSONDecoder().decode(Self.self, from: Data(contentsOf: file))
            return server.computer == thisComputer ? server : nil
        } catch {
            return nil
        }
    }
}
