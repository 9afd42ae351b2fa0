import CIndexStore
import Foundation

/// The functions of the toolchain's libIndexStore that read the index of the compiler.
///
/// All calls into the library go through this type. The library stays loaded until the program ends.
struct IndexLibrary {
  private let openStore: IndexStoreOpening
  private let closeStore: IndexDisposing
  private let listUnits: IndexUnitList
  private let openUnit: IndexReaderOpening
  private let closeUnit: IndexDisposing
  private let mainFile: IndexStringGetter
  private let time: IndexTimeGetter
  private let listDependencies: IndexObjectList
  private let dependencyKind: IndexKindGetter
  private let dependencyName: IndexStringGetter
  private let dependencyPath: IndexStringGetter
  private let openRecord: IndexReaderOpening
  private let closeRecord: IndexDisposing
  private let listOccurrences: IndexObjectList
  private let symbol: IndexSymbolGetter
  private let roles: IndexRolesGetter
  private let place: IndexPlaceGetter
  private let identifier: IndexStringGetter
  private let errorText: IndexErrorText
  private let disposeError: IndexDisposing

  init(path: String) throws(VerifierError) {
    guard let handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL) else {
      let reason = dlerror().map { String(cString: $0) } ?? "unknown error"
      throw VerifierError("the toolchain's library for the index could not be loaded: \(reason)")
    }
    func function<Function>(_ name: String) throws(VerifierError) -> Function {
      guard let symbol = dlsym(handle, "indexstore_" + name) else {
        throw VerifierError("\(path) has no function indexstore_\(name)")
      }
      return unsafeBitCast(symbol, to: Function.self)
    }
    openStore = try function("store_create")
    closeStore = try function("store_dispose")
    listUnits = try function("store_units_apply_f")
    openUnit = try function("unit_reader_create")
    closeUnit = try function("unit_reader_dispose")
    mainFile = try function("unit_reader_get_main_file")
    time = try function("unit_reader_get_modification_time")
    listDependencies = try function("unit_reader_dependencies_apply_f")
    dependencyKind = try function("unit_dependency_get_kind")
    dependencyName = try function("unit_dependency_get_name")
    dependencyPath = try function("unit_dependency_get_filepath")
    openRecord = try function("record_reader_create")
    closeRecord = try function("record_reader_dispose")
    listOccurrences = try function("record_reader_occurrences_apply_f")
    symbol = try function("occurrence_get_symbol")
    roles = try function("occurrence_get_roles")
    place = try function("occurrence_get_line_col")
    identifier = try function("symbol_get_usr")
    errorText = try function("error_get_description")
    disposeError = try function("error_dispose")
  }

  /// What the compiler recorded about the compilation of one file.
  struct Unit {
    let mainFile: String
    /// The time when the unit was written, in seconds since 1970.
    let time: Double
    /// The names of the records of the main file.
    let records: [String]
  }

  /// An occurrence of a symbol in a record.
  struct Occurrence {
    let symbol: String
    let roles: UInt64
    let line: Int
    let column: Int
  }

  /// Opens a store while a closure uses it.
  func withStore<Value>(
    _ path: String, _ body: (IndexObject) throws(VerifierError) -> Value
  ) throws(VerifierError) -> Value {
    var error: IndexObject?
    guard let store = openStore(path, &error) else { throw failure(error, path) }
    defer { closeStore(store) }
    return try body(store)
  }

  func units(in store: IndexObject) -> [String] {
    let names = Names()
    withExtendedLifetime(names) {
      _ = listUnits(store, 0, Unmanaged.passUnretained(names).toOpaque()) { context, name in
        if let context {
          Unmanaged<Names>.fromOpaque(context).takeUnretainedValue().found.append(IndexLibrary.text(name))
        }
        return true
      }
    }
    return names.found
  }

  /// Returns a unit, or nil if it cannot be read. Units of modules have no main file.
  func unit(_ name: String, in store: IndexObject) -> Unit? {
    var error: IndexObject?
    guard let reader = openUnit(store, name, &error) else {
      _ = failure(error, name)
      return nil
    }
    defer { closeUnit(reader) }
    let file = Self.text(mainFile(reader))
    var (seconds, nanoseconds): (Int64, Int64) = (0, 0)
    time(reader, &seconds, &nanoseconds)
    var records: [String] = []
    each(listDependencies, of: reader) { dependency in
      guard dependencyKind(dependency) == Self.recordKind, Self.text(dependencyPath(dependency)) == file
      else {
        return
      }
      records.append(Self.text(dependencyName(dependency)))
    }
    return file.isEmpty
      ? nil : Unit(mainFile: file, time: Double(seconds) + Double(nanoseconds) / 1e9, records: records)
  }

  func occurrences(in record: String, of store: IndexObject) throws(VerifierError) -> [Occurrence] {
    var error: IndexObject?
    guard let reader = openRecord(store, record, &error) else { throw failure(error, record) }
    defer { closeRecord(reader) }
    var found: [Occurrence] = []
    each(listOccurrences, of: reader) { occurrence in
      var (line, column): (UInt32, UInt32) = (0, 0)
      place(occurrence, &line, &column)
      let text = symbol(occurrence).map { Self.text(identifier($0)) } ?? ""
      found.append(
        Occurrence(symbol: text, roles: roles(occurrence), line: Int(line), column: Int(column)))
    }
    return found
  }

  // MARK: - Callbacks

  /// `INDEXSTORE_UNIT_DEPENDENCY_RECORD`.
  private static let recordKind: Int32 = 2

  /// What a C function calls for each object. The objects are only valid during the call.
  private final class Visitor {
    private let visit: (IndexObject) -> Void

    init(_ visit: @escaping (IndexObject) -> Void) { self.visit = visit }

    func pass(to list: IndexObjectList, _ reader: IndexObject) {
      // The list ends before this method returns, so it does not need to retain the visitor.
      withExtendedLifetime(self) {
        _ = list(reader, Unmanaged.passUnretained(self).toOpaque()) { context, object in
          if let context, let object {
            Unmanaged<Visitor>.fromOpaque(context).takeUnretainedValue().visit(object)
          }
          return true
        }
      }
    }
  }

  private func each(_ list: IndexObjectList, of reader: IndexObject, _ body: (IndexObject) -> Void) {
    withoutActuallyEscaping(body) { Visitor($0).pass(to: list, reader) }
  }

  /// Collects names that a C function passes to its callback.
  private final class Names {
    var found: [String] = []
  }

  private static func text(_ string: IndexString) -> String {
    guard let data = string.data else { return "" }
    let bytes = UnsafeRawBufferPointer(start: data, count: string.length)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func failure(_ error: IndexObject?, _ name: String) -> VerifierError {
    guard let error else { return VerifierError("the index could not be read: \(name)") }
    defer { disposeError(error) }
    let reason = errorText(error).map { String(cString: $0) } ?? name
    return VerifierError("the index could not be read: \(reason)")
  }
}
