import AdoptAnalysis
import Foundation
import Testing

@testable import AdoptCommand

/// The requirements of the SARIF 2.1.0 schema and of GitHub code scanning.
struct SARIFTests {
  private let paths = Paths(current: "/work tree/repo/sub", root: "/work tree/repo")

  private func run(_ report: CheckReport) throws -> [String: Any] {
    let text = SARIFReport.text(report, paths: paths)
    let log = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(log["version"] as? String == "2.1.0")
    #expect((log["$schema"] as? String)?.hasSuffix("/sarif-schema-2.1.0.json") == true)
    let runs = try #require(log["runs"] as? [[String: Any]])
    #expect(runs.count == 1)
    return runs[0]
  }

  /// Returns the value at a path of keys and indices.
  private func at(_ value: Any?, _ steps: Any...) -> Any? {
    steps.reduce(value) { value, step in
      if let key = step as? String { return (value as? [String: Any])?[key] }
      guard let list = value as? [Any], let index = step as? Int, list.indices.contains(index) else {
        return nil
      }
      return list[index]
    }
  }

  @Test func `every kind has a rule with help`() throws {
    let rules = try #require(at(try run(CheckReport()), "tool", "driver", "rules") as? [[String: Any]])
    #expect(rules.compactMap { $0["id"] as? String } == Finding.Kind.allCases.map(\.rawValue))
    for rule in rules {
      for part in ["shortDescription", "fullDescription", "help"] {
        #expect((at(rule, part, "text") as? String)?.isEmpty == false)
      }
      #expect((at(rule, "help", "markdown") as? String)?.contains("adopt:ignore") == true)
      #expect(at(rule, "defaultConfiguration", "level") as? String == "warning")
    }
    // An empty list means that there are no findings. Without a list, nothing would have been checked.
    #expect((try run(CheckReport())["results"] as? [Any])?.isEmpty == true)
  }

  @Test func `a finding contains its path`() throws {
    let report = CheckReport.of(
      [.sample(.twice, path: "a b.swift", notes: [1, 2])], lines: [1: "x", 2: "y", 3: "  return"])
    let run = try run(report)
    let result = at(run, "results", 0)
    #expect(at(result, "ruleId") as? String == "twice")
    let rule = at(run, "tool", "driver", "rules", at(result, "ruleIndex") as? Int ?? -1, "id")
    #expect(rule as? String == "twice")
    let location = at(result, "locations", 0, "physicalLocation")
    #expect(at(location, "artifactLocation", "uri") as? String == "sub/a%20b.swift")
    #expect(at(location, "artifactLocation", "uriBaseId") as? String == "%SRCROOT%")
    #expect(at(run, "originalUriBaseIds", "%SRCROOT%", "uri") as? String == "file:///work%20tree/repo/")
    #expect(at(location, "region", "startLine") as? Int == 3)
    let flow = at(result, "codeFlows", 0, "threadFlows", 0, "locations") as? [Any]
    #expect(
      flow?.map { at($0, "location", "physicalLocation", "region", "startLine") as? Int } == [1, 2, 3])
    #expect(at(flow?.last, "location", "message", "text") as? String == "leaves without calling 'completion'")
    #expect(at(result, "relatedLocations", 1, "id") as? Int == 2)
    #expect(at(result, "partialFingerprints", "adoptFingerprint/v1") as? String == "f1")
    #expect(at(result, "baselineState") == nil)
  }

  @Test func `columns are counted in UTF-16 code units`() throws {
    let line = "  \"é😀\"; return"
    let column = "  \"é😀\"; ".utf8.count + 1
    let report = CheckReport.of([.sample(column: column, notes: [])], lines: [3: line])
    let run = try run(report)
    #expect(run["columnKind"] as? String == "utf16CodeUnits")
    let region = at(run, "results", 0, "locations", 0, "physicalLocation", "region")
    #expect(at(region, "startColumn") as? Int == "  \"é😀\"; ".utf16.count + 1)
  }

  @Test func `fixes are written as replacements`() throws {
    let place = { Place(path: "Sources/a.swift", line: 3, column: $0, offset: 0) }
    let report = CheckReport.of(
      [.sample(fix: 40..<46)], lines: [2: "", 3: "    return"], places: [40: place(5), 46: place(11)])
    let fix = at(try run(report), "results", 0, "fixes", 0)
    #expect(at(fix, "description", "text") as? String == "add a return")
    let replacement = at(fix, "artifactChanges", 0, "replacements", 0)
    #expect(at(replacement, "deletedRegion", "startColumn") as? Int == 5)
    #expect(at(replacement, "deletedRegion", "endColumn") as? Int == 11)
    #expect(at(replacement, "insertedContent", "text") as? String == "; return")
  }

  @Test func `an unreadable file is reported and marks the run as unsuccessful`() throws {
    var report = CheckReport()
    report.problems = [FileProblem("/elsewhere/b.swift", "is not UTF-8")]
    report.hasBaseline = true
    report.findings = [.sample()]
    let run = try run(report)
    #expect(at(run, "invocations", 0, "executionSuccessful") as? Bool == false)
    let notification = at(run, "invocations", 0, "toolExecutionNotifications", 0)
    #expect(at(notification, "message", "text") as? String == "/elsewhere/b.swift: is not UTF-8")
    let artifact = at(notification, "locations", 0, "physicalLocation", "artifactLocation")
    #expect(at(artifact, "uri") as? String == "file:///elsewhere/b.swift")
    #expect(at(artifact, "uriBaseId") == nil)
    #expect(at(run, "results", 0, "baselineState") as? String == "new")
  }
}
