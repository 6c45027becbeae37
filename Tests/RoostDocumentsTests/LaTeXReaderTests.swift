import Foundation
import Testing

@testable import RoostDocuments

@Suite struct LaTeXReaderTests {
    @Test(arguments: [
        (#"Use \verb|100%| of it, then more."#, "Use `100%` of it, then more."),
        (#"A \& B \\% hidden"#, "A & B "), (#"50\% and \\\% x% gone"#, "50% and % x"),
        (#"\verb*+a b+ and \lstinline[language=C]!x % 2!"#, "`a b` and `x % 2`"),
        (#"\lstinline{\emph{a}"#, "`\\emph{a`"), (#"\verb|`| and \verb||."#, "`` ` `` and ."),
        (#"\item \verb|\item| one"#, "- `\\item` one"), (#"\verb|a b % c"#, "\\verb|a b "),
        (#"\verbatiminput|a%b|"#, "\\verbatiminput|a"),
        (#"\href{https://a.org/%20}{b \verb|c|} % d"#, "[b `c`](https://a.org/%20) "),
        ("\u{F0000} \\verb|a| % b", "\u{F0000} \\verb|a| "),
    ])
    func `Code in a line is kept, and the comment at its end is not`(
        latex: String, expected: String
    ) async throws {
        #expect(try await DocumentFixture.document(latex, name: "a.tex").text == expected)
    }

    @Test(arguments: [
        ("\\section{Intro} Text.", "## Intro\nText."), ("\\section{Intro} Text.\n\nB", "## Intro\nText.\nB"),
        ("A\n\n\\section{Intro} Text.\nB", "A\n## Intro\nText.\nB"),
        ("A\n\\section{Intro} Text.\nB", "A\n## Intro Text.\nB"),
        ("A\n\\section{Intro}\\addcontentsline{toc}{section}{Intro}\\vspace{-2mm}\nB", "A\n## Intro\nB"),
        ("A\n\\section{Intro} \\label{b}\nB", "A\n## Intro\nB"),
        ("A\n\\section{Intro}\\footnote{A \\emph{b}}\nB", "A\n## Intro (A b)\nB"),
        ("A\n\n\\paragraph{Time.} It\nis", "A\n\n**Time.** It\nis"),
        ("\\paragraph{Time.}\nIt is", "##### Time.\nIt is"),
        ("A\n\\subparagraph{Time.}\\label{x} It is", "A\n**Time.** It is"),
    ])
    func `The text after a heading in a line is not part of the heading`(
        latex: String, expected: String
    ) async throws {
        #expect(try await DocumentFixture.document(latex, name: "a.tex").text == expected)
    }

    @Test(arguments: [
        (#"Rain\hfill 2024"#, "Rain 2024"), (#"one\newline\par two"#, "one two"),
        (#"\centering\Large Rain"#, "Rain"),
        (#"\scshape\LARGE Rain"#, "Rain"), (#"\other\Large Rain"#, #"\other Rain"#),
        (#"{\bfseries rain}, roof\newpage"#, "rain, roof"), (#"(\small rain\normalsize)"#, "(rain)"),
    ])
    func `A command for the layout does not join the words next to it`(
        latex: String, expected: String
    ) async throws {
        #expect(try await DocumentFixture.document(latex, name: "a.tex").text == expected)
    }

    @Test(arguments: [
        (#"A \textcolor{red}{hot \emph{and \textbf{dry}}} day"#, "A hot and dry day"),
        (#"\textcolor[rgb]{1,0,0}{Red} \colorbox{blue}{sky}"#, "Red sky"),
        (#"\fcolorbox{black}{white}{Box} {\color{red} rain}"#, "Box rain"),
        (#"See \hyperref[s]{the section} \hyperref{a}{b}{c}{d}"#, #"See the section \hyperref{a}{b}{c}{d}"#),
        (#"\multicolumn{2}{c}{Rain} & \parbox[t]{3cm}{Roof}"#, "Rain & Roof"),
        (#"\caption[Rain]{Rain \& snow} \textcolor{red}{open"#, #"Rain & snow \textcolor{red}{open"#),
        (#"Rain\footnote{See \emph{it}} falls"#, "Rain (See it) falls"),
        (#"\color{red} \footnote{a}"#, " (a)"),
        (#"The {IEEE} ({\em rain}) \{a\} $x^{ {a}}$ {b"#, #"The IEEE (rain) {a} $x^{ {a}}$ {b"#),
        (#"\unknown{a}[b]{c} \'{ } {{a}}"#, #"\unknown{a}[b]{c} \'{ } a"#),
    ])
    func `A command shows its text without a color or a width`(latex: String, expected: String) async throws {
        #expect(try await DocumentFixture.document(latex, name: "a.tex").text == expected)
    }

    @Test(arguments: [
        (#"\item \href{https://a.org/b_c--d}{Rain}"#, "- [Rain](https://a.org/b_c--d)"),
        (#"\textbf{See \href{https://a.org}{\emph{wet} rain}.}"#, "See [wet rain](https://a.org)."),
        (#"A\footnote{In \url{https://a.org}.}"#, "A (In [https://a.org](https://a.org).)"),
        ("\u{100000} \\href{https://a.org}{rain}", "\u{100000} rain"),
        (#"\section{The \href{https://a.org}{rain}}"#, "## The rain"),
    ])
    func `Links are read in items, headings and other commands`(
        latex: String, expected: String
    ) async throws {
        #expect(try await DocumentFixture.document(latex, name: "a.tex").text == expected)
    }

    @Test(arguments: [
        (#"Dampf\-schiff, u.\,a. e.g.\ this"#, "Dampfschiff, u. a. e.g. this"),
        (#"Stra{\ss}e K{\o}ln {\"a}hre \textbf{\ss}"#, "Straße Køln ähre ß"),
        (#"\LaTeX\ is f\/f"#, "LaTeX is ff"), (#"one \\-2"#, "one -2"), (#"$a\,b$"#, #"$a\,b$"#),
    ])
    func `Words that commands divide are read as printed`(latex: String, expected: String) async throws {
        #expect(try await DocumentFixture.document(latex, name: "a.tex").text == expected)
    }

    @Test func `Parts of LaTeX that are not printed are hidden`() async throws {
        let document = try await DocumentFixture.document(
            #"""
            \begin{comment}
            \title{Draft}
            \end{comment}
            A
            \iffalse
            one \ifx two \else three
              \fi
            B \let\ifdraft\iffalse
            \def\hide{\iffalse}
            \begin{comment} one \end{comment}
            % \iffalse
            \iffalse
            \figure \fill
            \begin{comment}
            No end
            """#, name: "a.tex")
        #expect(document.title == nil)
        #expect(
            document.text.components(separatedBy: "\n") == [
                "<!-- \\begin{comment} -->", "<!-- \\title{Draft} -->", "<!-- \\end{comment} -->", "A",
                "<!-- \\iffalse -->", "<!-- one \\ifx two \\else three -->", "<!-- \\fi -->",
                "B \\let\\ifdraft\\iffalse", "\\def\\hide{\\iffalse}",
                "<!-- \\begin{comment} one \\end{comment} -->", "<!-- % \\iffalse -->", "\\iffalse",
                "\\figure \\fill", "", "No end",
            ])
    }

    @Test(arguments: [
        "\\verb|x%|", "\\verb|\\verb+\\iffalse \\ifx \\lstinline[a \\url{", "\\iffalse ",
        "\\fi\\iffalse\\ifx", "\\lstinline[", "\\verb|a\n", "\\iffalse\n", "\\begin{comment}\n",
        "\\section{a} b\n\n", "\\section{",
    ])
    func `Very much code and very many comments are read in a short time`(unit: String) {
        let start = ReaderDetailTests.threadSeconds()
        let text = String(repeating: unit, count: 20_000)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(LaTeXMarkup.converted(lines) {}.lines.count == lines.count)
        #expect(ReaderDetailTests.threadSeconds() - start < 5)
    }
}
