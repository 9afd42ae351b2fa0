// Measures checking and parsing Swift sources.
import Foundation

extension Laboratory {
  func sources(_ contender: Contender, _ folders: [String]) throws -> Reading {
    let paths = folders.map { place.root.appending(path: $0).path }
    let child = try Child(
      contender.path(place), [contender.mode] + paths + ["--seconds", "\(settings.seconds)"])
    let statement = try Statement(child.line(within: Laboratory.patience))
    let usage = try child.finish(within: Laboratory.patience)
    return Reading(statement: statement, cpuSeconds: usage.cpuSeconds)
  }
}
