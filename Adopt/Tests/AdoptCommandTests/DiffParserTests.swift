import Testing

@testable import AdoptCommand

struct DiffParserTests {
  @Test func `new lines are read from hunks`() {
    let diff = """
      diff --git a/A.swift b/A.swift
      index 1..2 100644
      --- a/A.swift
      +++ b/A.swift
      @@ -1,2 +1,3 @@ func f() {
      -old
      -old
      +new
      +new
      +new
      @@ -9 +10 @@
      -x
      +y
      """
    #expect(DiffParser.parse(diff) == [.init(path: "A.swift", lines: [1...3, 10...10])])
  }

  @Test func `lines that look like headers are lines`() {
    let diff = """
      --- a/A.swift
      +++ b/A.swift
      @@ -1,2 +1,2 @@
      --- a/B.swift
      -@@ -1 +1 @@
      +++ b/C.swift
      +@@ -7 +7 @@
      @@ -20 +20 @@
      -a
      +b
      """
    #expect(DiffParser.parse(diff) == [.init(path: "A.swift", lines: [1...2, 20...20])])
  }

  @Test func `the lines around removed lines count as changed`() {
    let diff = "--- a/A.swift\n+++ b/A.swift\n@@ -5,2 +4,0 @@\n-a\n-b\n@@ -1 +0,0 @@\n-c\n"
    #expect(DiffParser.parse(diff) == [.init(path: "A.swift", lines: [4...5, 1...1])])
  }

  @Test func `deleted and renamed files have no new lines`() {
    let diff = """
      --- a/Gone.swift
      +++ /dev/null
      @@ -1 +0,0 @@
      -a
      diff --git a/Old.swift b/New.swift
      similarity index 100%
      rename from Old.swift
      rename to New.swift
      """
    #expect(DiffParser.parse(diff).isEmpty)
  }

  @Test func `quoted paths are decoded`() {
    #expect(DiffParser.path("b/with blank.swift\t") == "with blank.swift")
    #expect(
      DiffParser.path("\"b/gr\\303\\266\\303\\237e \\\"x\\\"\\t\\\\.swift\"") == "größe \"x\"\t\\.swift")
    #expect(DiffParser.path("/dev/null") == nil)
  }

  @Test func `invalid diffs do not crash the parser`() {
    for text in [
      "@@", "@@ -1", "@@ -1 +1 @@", "+++ b/a\n@@ -x +y @@", "+++ b/a\n@@ -1 +9223372036854775807,9 @@",
      "+++ ",
      "+++ b/a\n@@ -1 +9223372036854775807,0 @@", "+++ \"b/\\", "+++ b/a\n@@ -1 +-5,2 @@",
    ] {
      #expect(DiffParser.parse(text).allSatisfy { $0.lines.allSatisfy { $0.lowerBound > 0 } })
    }
  }
}
