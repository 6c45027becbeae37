import TestSupport
import Testing

@testable import Roost

/// Tests of the folders that an observer watches.
struct WatchedFoldersTests {
    @Test func `a folder is removed with its subfolders only`() {
        var folders = WatchedFolders()
        // The folder /a/b is not watched, but a folder in it is.
        let paths = ["/a", "/a/b/c", "/a/b/c/d", "/a/bc", "/é", "/e\u{301}", "/"]
        for (index, path) in paths.enumerated() { folders.insert(path, Int32(index)) }
        #expect(folders.removeTree("/a/b").sorted() == [1, 2])
        #expect(folders.removeTree("/a/b").isEmpty)
        #expect(folders.removeTree("/é") == [4])
        #expect((0..<7).map { folders[$0] } == ["/a", nil, nil, "/a/bc", nil, "/e\u{301}", "/"])
        folders.remove(0)
        #expect(folders[0] == nil && folders.count == 3)
        #expect(folders.removeTree("/").sorted() == [3, 5, 6] && folders.count == 0)
    }

    @Test func `a watch follows its folder, and a path its newest watch`() {
        var folders = WatchedFolders()
        folders.insert("/a/b", 1)
        folders.insert("/c", 1)
        #expect(folders[1] == "/c" && folders.removeTree("/a").isEmpty)
        // The folder was removed and created again before the removal is reported.
        folders.insert("/c", 2)
        folders.remove(1)
        #expect(folders[2] == "/c" && folders.removeTree("/c") == [2] && folders.count == 0)
    }

    @Test func `any sequence of changes has the result of a search in all folders`() {
        var generator = Seeded(state: 5)
        var folders = WatchedFolders()
        var reference: [Int32: String] = [:]
        for step in 0..<5_000 {
            let depth = Int.random(in: 1...4, using: &generator)
            let names = (0..<depth).map { _ in ["a", "b", "ab"].randomElement(using: &generator) ?? "" }
            let path = "/" + names.joined(separator: "/")
            switch Int.random(in: 0..<8, using: &generator) {
            case 0:
                let expected = reference.filter { $0.value == path || $0.value.hasPrefix(path + "/") }
                #expect(folders.removeTree(path).sorted() == expected.keys.sorted())
                for watch in expected.keys { reference[watch] = nil }
            case 1:
                let watch = reference.first { $0.value == path }?.key ?? 0
                folders.remove(watch)
                reference[watch] = nil
            default:
                guard !reference.values.contains(path) else { continue }
                folders.insert(path, Int32(step + 1))
                reference[Int32(step + 1)] = path
            }
            #expect(folders.count == reference.count)
        }
        #expect(reference.allSatisfy { folders[$0.key] == $0.value })
    }

    @Test(.timeLimit(.minutes(1))) func `many folders are removed one by one in linear time`() {
        let count = 50_000
        var folders = WatchedFolders()
        for number in 0..<count { folders.insert("/home/notes/\(number)", Int32(number)) }
        for number in 0..<count { #expect(folders.removeTree("/home/notes/\(number)").count == 1) }
        #expect(folders.count == 0 && folders.removeTree("/").isEmpty)
    }
}
