import Foundation
import TerminalProgram

/// Renders hops as a chart of their phases.
package enum HopChart {
  package static func lines(_ hops: [Hop], width: Int, usesUnicode: Bool) -> [String] {
    var lines: [String] = []
    for (index, hop) in hops.enumerated() {
      if index > 0 { lines.append("") }
      lines += head(hop, usesUnicode)
      lines += bars(hop, width: width, usesUnicode)
      lines += hop.fields.map { "  \($0.name): \($0.value)" }
    }
    return lines
  }

  private static func head(_ hop: Hop, _ usesUnicode: Bool) -> [String] {
    let answer = hop.status.map { "\($0) \(hop.reason ?? "")" } ?? "no response"
    var lines = ["\(hop.method) \(hop.url) \(usesUnicode ? "→" : "->") \(answer)"]
    var facts: [String] = []
    if let name = hop.networkProtocol { facts.append(name) }
    if let remote = hop.remoteAddress {
      facts.append(remote + (hop.localAddress.map { " from \($0)" } ?? ""))
    }
    if hop.isReusedConnection { facts.append("reused connection") }
    let tls = [hop.tlsVersion, hop.tlsCipherSuite].compactMap { $0 }
    if !tls.isEmpty { facts.append(tls.joined(separator: " ")) }
    if !facts.isEmpty { lines.append("  " + facts.joined(separator: ", ")) }
    return lines
  }

  private static func bars(_ hop: Hop, width: Int, _ usesUnicode: Bool) -> [String] {
    guard let end = hop.phases.map(\.end).max(), end > 0 else { return [] }
    let room = max(10, min(width - 28, 60))
    var lines = hop.phases.map { phase in
      let first = min(Int(phase.start / end * Double(room)), room - 1)
      let last = min(max(Int((phase.end / end * Double(room)).rounded()), first + 1), room)
      let isNothing = phase.end - phase.start <= 0
      let mark = isNothing ? (usesUnicode ? "▏" : "|") : (usesUnicode ? "█" : "#")
      let bar =
        String(repeating: " ", count: first) + String(repeating: mark, count: isNothing ? 1 : last - first)
      return "  " + DisplayText.fitted(phase.name, to: 12) + " " + time(phase.end - phase.start) + " "
        + bar
    }
    let size =
      hop.bodyBytes == hop.decodedBodyBytes
      ? ByteText.short(hop.bodyBytes)
      : "\(ByteText.short(hop.bodyBytes)), decoded \(ByteText.short(hop.decodedBodyBytes))"
    lines.append("  " + DisplayText.fitted("total", to: 12) + " " + time(end) + " \(size)")
    return lines
  }

  private static func time(_ seconds: Double) -> String {
    let text = String(format: seconds < 10 ? "%.2f ms" : "%.1f ms", seconds * 1000)
    return String(repeating: " ", count: max(0, 11 - text.count)) + text
  }
}
