import Foundation
import RoostDocuments
import Testing

/// Tests of the sections of source code, with the files in `Fixtures/Documents/code`.
@Suite struct CodeReaderTests {
    private static let folder = DocumentFixture.folder.deletingLastPathComponent().appendingPathComponent(
        "code")

    private func sections(_ name: String) async throws -> (text: String, structure: TextStructure) {
        let data = try Data(contentsOf: Self.folder.appendingPathComponent(name))
        let documents = try await DocumentFixture.documents(DocumentInput(data: data, path: name))
        let document = try #require(documents.first)
        return (document.text, TextStructure(of: document.text, format: document.format))
    }

    @Test func `the title of source code is the name of the file`() async throws {
        let input = DocumentInput(data: Data("import json\n\nx = 1\n".utf8), path: "tools/main.py")
        #expect(try await DocumentFixture.documents(input).map(\.title) == ["main.py"])
    }

    @Test(arguments: [
        ("py", ["Barrel", "Barrel/litres", "Barrel/fill"]),
        (
            "swift",
            ["Barrel", "Barrel/description", "Barrel/init", "Barrel/==", "Barrel/fill", "Barrel/Color"]
        ),
        ("c", ["barrel", "fill", "main"]),
        (
            "cpp",
            [
                "garden", "garden/Barrel", "garden/Barrel/Barrel", "garden/Barrel/~Barrel",
                "garden/Barrel::size",
                "garden/fill", "plain",
            ]
        ),
        ("cs", ["Garden", "Garden/Barrel", "Garden/Barrel/Barrel", "Garden/Barrel/FillAsync"]),
        ("m", ["Barrel", "Barrel/fill:color:", "Barrel/make", "helper"]),
        ("java", ["Barrel", "Barrel/Barrel", "Barrel/compareTo", "Barrel/Listener"]),
        ("kt", ["Q", "Q/lazyValue", "Q/companion", "Q/companion/other"]),
        ("scala", ["Barrel", "Barrel/fill", "Barrel/size", "Barrel/apply"]),
        ("go", ["Server", "Start", "main"]), ("rs", ["Point", "Point/fmt", "Point/zero"]),
        ("zig", ["Barrel", "Barrel/fill", "main"]),
        ("js", ["Barrel", "Barrel/constructor", "Barrel/fill", "walk", "make"]),
        ("ts", ["Shape", "Circle", "Circle/constructor", "Circle/area", "Circle/name", "make", "main"]),
        ("vue", ["load"]), ("svelte", ["load"]), ("php", ["C", "C/run", "C/other", "top"]),
        ("rb", ["Garden", "Garden/Barrel", "Garden/Barrel/fill", "Garden/Barrel/create"]),
        ("pl", ["fill", "size"]), ("lua", ["M.fill", "helper", "M.other"]), ("r", ["fill", "size"]),
        ("jl", ["Garden", "Garden/Barrel", "Garden/fill"]), ("ex", ["Garden.Barrel", "Garden.Barrel/fill"]),
        ("sh", ["fill", "other"]),
        ("hs", ["Tree", "Functor", "insert"]), ("ml", ["tree", "insert", "Set"]), ("erl", ["fill"]),
        ("clj", ["garden.barrel", "fill", "helper"]), ("sql", ["users", "f"]),
        ("el", ["barrel-size", "barrel-fill", "barrel-mode", "barrel-lid", "garden"]),
        ("lisp", ["garden", "barrel", "color", "fill-barrel"]),
        ("scm", ["size", "fill", "twice", "curried", "test"]),
        ("css", ["body, .main > a[href= ]", "@media print"]),
    ])
    func `Declarations are sections, in spite of strings and comments`(
        fileExtension: String, expected: [String]
    ) async throws {
        let (text, structure) = try await sections("sample." + fileExtension)
        var paths: [String] = []
        for section in structure.sections where !section.headings.isEmpty {
            let path = section.headings.joined(separator: "/")
            if !paths.contains(path) { paths.append(path) }
        }
        #expect(paths == expected)
        #expect(structure.sections.map(\.range.lowerBound).first == 0)
        #expect(structure.sections.last?.range.upperBound == text.utf8.count)
        for (first, second) in zip(structure.sections, structure.sections.dropFirst()) {
            #expect(first.range.upperBound == second.range.lowerBound)
        }
    }

    @Test(arguments: [
        (
            "a.java",
            "class A {\n@Cached(\"a\")\n@org.b.Safe(x = {1})\npublic @Nullable(\"x\") String find(int a) {\nreturn 1;\n}\n}",
            ["A", "find"]
        ),
        (
            "b.java", "@interface A {\nString value();\nint size();\n}\n@B(1)\nclass C {\n\nint x;\n}",
            ["A", "C"]
        ),
        (
            "c.ts",
            "class A {\n  @Input() @Other({ a: 1 }) run(x: string) {\n    call();\n    return 1;\n  }\n}",
            ["A", "run"]
        ),
        ("d.kt", "@Composable(\"a\")\nfun Screen(x: Int) {\n  call()\n  call()\n}", ["Screen"]),
    ])
    func `An annotation with arguments is not the name`(name: String, code: String, expected: [String])
        async throws
    {
        let structure = TextStructure(
            of: code, format: try await DocumentFixture.document(code, name: name).format)
        var names: [String] = []
        for name in structure.sections.compactMap(\.headings.last) where !names.contains(name) {
            names.append(name)
        }
        #expect(names == expected)
    }

    @Test(arguments: [
        (
            "a.ts",
            "interface Boat<T extends object = {}> {\n  a: T\n  b: T\n}\nclass Ship implements Boat<{}> {\n"
                + "  sail(): { speed: number } {\n    return { speed: 1 }\n  }\n}",
            ["Boat", "Ship", "Ship/sail"]
        ),
        ("a.tsx", "const A = () => <B c={1}>\n  text\n</B>\nfunction f() {\n  a()\n  b()\n}", ["f"]),
        (
            "a.c",
            "int f(int a)\n{\n#ifdef X\n  if (a) {\n#else\n  if (!a) {\n#endif\n    b();\n  }\n  return 1;\n}\n"
                + "int\nmain(void)\n{\n  return f(1);\n}\n",
            ["f", "main"]
        ),
        (
            "a.swift", "struct A {\n  func `default`() {\n    b()\n  }\n  func `returns the { sum`() {}\n}",
            ["A", "A/default"]
        ),
        (
            "a.kt", "class A {\n  @Test fun `returns the sum`() {\n    b()\n  }\n}",
            ["A", "A/returns the sum"]
        ),
        (
            "a.sh", "function make-all {\n  a\n  b\n}\nfunction make-one() {\n  a\n}\n",
            ["make-all", "make-one"]
        ),
        (
            "a.jl",
            "\"\"\"\n    area(c)\n\nThe area.\n\"\"\"\narea(c::Circle) = pi * c.radius^2\n\n\"\"\"\nThe sum.\n\"\"\"\n"
                + "Base.sum(a::A)::Int where {T} =\n    1\n\nif f(a) == 1\n    g(x)\n    h(x)\nend\n",
            ["area", "Base.sum"]
        ),
        (
            "b.jl",
            "@inline area(c) = begin\n    a(c)\n    b(c)\nend\nBase.@propagate_inbounds @A.b Base.get(a) =\n    1 +\n"
                + "    2\npush!(a, b) =\n    c(a) +\n    b\n",
            ["area", "Base.get", "push!"]
        ),
        ("a.R", "`%+%` <- function(a, b) {\n  a\n  b\n}\n", ["`%+%`"]),
        (
            "b.c",
            "int f(int a)\n{\nstatic const int t[] = {\n1, 2\n};\n  if (a) {\n    b();\n  }\n  return t[0];\n}\n"
                + "int g(void)\n{\n  a();\n  return f(1);\n}\n",
            ["f", "g"]
        ),
        ("c.c", "int f(int a)\n{\n  if (a) {{\n}\nint g(void)\n{\n  a();\n  return f(1);\n}\n", ["f", "g"]),
        (
            "b.swift",
            "struct A {\n  let r = /[{\"]/\n  func f() {\n    b(c / d, e(/\\/{/))\n    a()\n  }\n}\n"
                + "let q = #/\n  \" {  # a comment\n/#\nfunc g() {\n  a()\n  b(x /y, \"{\")\n}\n"
                + "func h() {\n  c(1, /)\n  d(2, /)\n}\n",
            ["A", "A/f", "g", "h"]
        ),
        (
            "a.js",
            "module.exports.a = function () {\n  x()\n}\nexports.b = async (x) => {\n  x()\n}\n"
                + "A.prototype.c = function d() {\n  x()\n}\na.e = x => {\n  x()\n}\n"
                + "class F {\n  static g = async (e) => {\n    x()\n  }\n  #h = () => {\n    x()\n  }\n}\n"
                + "a.i = j ? (k) : l => {\n  x()\n}\na.m = {\n  n: 1,\n}\n"
                + "export default function () {\n  x()\n}\n",
            ["a", "b", "c", "e", "F", "F/g", "F/h", "default"]
        ),
        (
            "b.ts",
            "class A {\n  private b: C = async (e: E): Promise<void> => {\n    x()\n  }\n"
                + "  d = <T>(e: T) => {\n    x()\n  }\n}\nexport default async () => {\n  x()\n}\n",
            ["A", "A/b", "A/d", "default"]
        ),
        (
            "d.c",
            "static inline __attribute__((unused)) const char *\nf(int a)\n{\n  return 0;\n}\n"
                + "struct __attribute__((packed)) g {\n  int a;\n};\nalignas(16) static int h(int a) {\n"
                + "  x();\n}\n__declspec(dllexport) int i(void) {\n  x();\n}\n",
            ["f", "g", "h", "i"]
        ),
        (
            "e.c",
            "int f(a, b) int a; int *b; {\n  x();\n  return a;\n}\nint\ng(a)\n    struct s *a;\n{\n  x();\n}\n"
                + "int h(int a) UNUSED;\nint i;\nstruct s {\n  int a;\n};\n",
            ["f", "g", "s"]
        ),
        ("a.php", "<html>\n<?php\nfunction helper() {\n  a();\n  b();\n}\n?>\n</html>", ["helper"]),
    ])
    func `Names and bodies in unusual forms are found`(
        name: String, code: String, expected: [String]
    ) async throws {
        let input = DocumentInput(data: Data(code.utf8), path: name)
        let match = try #require(DocumentReaders.standard.match(input))
        let document = try #require(try await match.reader.read(input, as: match.type).first)
        var paths: [String] = []
        for section in TextStructure(of: document.text, format: document.format).sections {
            let path = section.headings.joined(separator: "/")
            if !path.isEmpty, !paths.contains(path) { paths.append(path) }
        }
        #expect(paths == expected)
    }

    @Test func `A text after a declaration in one line belongs to the next declaration`() async throws {
        let code = """
            abstract type Shape end

            \"""
                Circle(radius)

            A circle.
            \"""
            struct Circle <: Shape
                radius::Float64
            end
            """
        let format = try await DocumentFixture.document(code, name: "a.jl").format
        let structure = TextStructure(of: code, format: format)
        let circle = try #require(structure.sections.first { $0.headings == ["Circle"] })
        let bytes = Array(code.utf8)
        #expect(String(decoding: bytes[circle.range], as: UTF8.self).hasPrefix("\"\"\"\n    Circle(radius)"))
    }

    @Test func `Comments and attributes belong to the declaration that follows`() async throws {
        let (text, structure) = try await sections("sample.rs")
        let bytes = Array(text.utf8)
        let point = try #require(structure.sections.first { $0.headings == ["Point"] })
        #expect(
            String(decoding: bytes[point.range], as: UTF8.self).hasPrefix("/// A point.\n#[derive(Debug)]"))
        let zero = try #require(structure.sections.first { $0.headings == ["Point", "zero"] })
        #expect(String(decoding: bytes[zero.range], as: UTF8.self).contains("/* { */"))
    }

    @Test func `A script without an extension is recognized by its interpreter`() throws {
        let input = DocumentInput(data: Data("#!/usr/bin/env python3\nx = 1\n".utf8), path: "tool")
        #expect(DocumentFixture.readers.match(input)?.type.name == "python")
    }

    @Test func `Quotation marks after a backslash begin no string of a shell script`() async throws {
        let script = """
            function first() {
              text='your shell'\\''s file'
              other='\\'
              echo "$text"
            }

            function second() {
              echo 1
              echo 2
            }
            """
        let document = try await DocumentFixture.document(script, name: "a.sh")
        let structure = TextStructure(of: document.text, format: document.format)
        #expect(structure.sections.map(\.headings) == [["first"], ["second"]])
    }

    @Test func `Variables and line comments before rules of style sheets are read`() async throws {
        let sheet = """
            // Barrels
            // -------

            .#{$name}-full {
              color: red;
            }
            .@{name}-empty:before {
              content: @sign;
            }
            a {
              #{$side}: 1px;
            }
            // The end
            """
        for name in ["a.scss", "a.less"] {
            let document = try await DocumentFixture.document(sheet, name: name)
            let structure = TextStructure(of: document.text, format: document.format)
            #expect(
                structure.sections.compactMap(\.headings.last)
                    == [".#{$name}-full", ".@{name}-empty:before", "a"])
        }
    }

    @Test func `Minified code is not read`() async throws {
        let line = String(repeating: "a=1;", count: 1000)
        await #expect(throws: DocumentError.self) {
            try await DocumentFixture.document(line, name: "a.min.js")
        }
    }

    @Test func `No two languages use the same extension`() {
        let extensions = CodeReader().types.flatMap(\.extensions)
        #expect(Set(extensions).count == extensions.count)
        #expect(CodeReader().types.count >= 30)
    }
}
