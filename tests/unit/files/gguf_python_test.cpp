#include "plugin/base/json.hpp"
#include "plugin/files/gguf.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <algorithm>

namespace gguf_python_test {

using namespace lowtide;
using namespace lowtide::files;
using testing::TensorFile;

namespace {

/// As the package's reader gives it: arrays of arrays as one.
Json jsonOf(const GgufValue& value) {
    if (const auto elements = value.elements()) {
        Json all = Json::array();
        for (const GgufValue& element : *elements) {
            const Json each = jsonOf(element);
            each.is_array() ? all.insert(all.end(), each.begin(), each.end())
                            : all.insert(all.end(), each);
        }
        return all;
    }
    if (const auto text = value.text()) {
        return *text;
    }
    if (const auto boolean = value.boolean()) {
        return *boolean;
    }
    const auto integer = value.integer();
    return integer ? Json(*integer) : Json(value.number().value());
}

/// What make_gguf_files.py reports of a file.
Json seenBy(const GgufHeader& header) {
    Json keys = Json::array();
    for (const auto& [key, value] : header.metadata.entries()) {
        keys.push_back({key, nameOf(value.type()), jsonOf(value)});
    }
    Json tensors = Json::array();
    for (const GgufTensor& tensor : header.tensors) {
        tensors.push_back(
            {tensor.name, infoOf(tensor.type).name, tensor.shape, tensor.offset, tensor.bytes});
    }
    return {{"version", header.version},
            {"alignment", header.alignment},
            {"keys", std::move(keys)},
            {"tensors", std::move(tensors)}};
}

/// The tensors of a file, to be written again.
std::vector<GgufSource> sourcesIn(const GgufHeader& header, const MemoryBytes& file) {
    std::vector<GgufSource> sources;
    for (const GgufTensor& tensor : header.tensors) {
        sources.push_back(
            {.name = tensor.name,
             .type = tensor.type,
             .shape = tensor.shape,
             .fill = [&file, start = tensor.offset](std::span<std::byte> piece, Bytes offset) {
                 file.read(piece, start + offset);
             }});
    }
    return sources;
}

}  // namespace

/// Files that the Python package gguf 0.19.0 wrote are read as it reads them, and are the same
/// bytes when they are written here.
class GgufPythonTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::string path_ = folder_.filePath("m.gguf").toStdString();
    TensorFile files_;

    void addFiles() const {
        QTest::addColumn<QString>("name");
        for (const auto& [key, tensor] : files_) {
            if (key.ends_with(".file")) {
                QTest::newRow(key.c_str()) << QString::fromStdString(key.substr(0, key.size() - 5));
            }
        }
    }

    const std::string& part(const QString& name, const char* kind) const {
        return files_.at(name.toStdString() + "." + kind).bytes;
    }

private Q_SLOTS:

    void initTestCase() {
        files_ = testing::readTensorFile(
            testing::goldenFile("tests/unit/files/make_gguf_files.py").toStdString());
        QVERIFY(files_.size() >= 20);
    }

    void readsWhatThePackageReads_data() { addFiles(); }

    void readsWhatThePackageReads() {
        QFETCH(QString, name);
        const std::string& bytes = part(name, "file");
        const Json seen =
            seenBy(readGgufHeader(MemoryBytes(std::as_bytes(std::span(bytes)), "m.gguf")));
        const Json expected = Json::parse(part(name, "seen"));
        QVERIFY2(seen == expected, (seen.dump() + "\n" + expected.dump()).c_str());
    }

    void writesTheBytesThatThePackageWrites_data() { addFiles(); }

    void writesTheBytesThatThePackageWrites() {
        QFETCH(QString, name);
        std::string bytes = part(name, "file");
        const MemoryBytes memory(std::as_bytes(std::span(bytes)), "m.gguf");
        const GgufHeader header = readGgufHeader(memory);
        writeGguf(path_, header.metadata, sourcesIn(header, memory));
        bytes[4] = '\3';  // what is read as version 2 is written as 3
        QVERIFY(InputFile(path_).readAll(kMiB) == bytes);
    }

    void thePackageReadsWhatIsWritten() {
        using enum GgufValueType;
        GgufMetadata metadata;
        metadata.set("general.architecture", GgufValue::ofText("sd1"));
        metadata.set("general.alignment", GgufValue::ofInteger(Uint32, 128));
        const std::vector<GgufValue> sizes = {GgufValue::ofInteger(Int32, 3),
                                              GgufValue::ofInteger(Int32, -1)};
        metadata.set("sizes", GgufValue::ofArray(Int32, sizes));
        metadata.set("number", GgufValue::ofNumber(Float64, 0.1));
        const auto fill = [](std::span<std::byte> piece, Bytes) {
            std::fill(piece.begin(), piece.end(), std::byte{1});
        };
        const std::vector<GgufSource> tensors = {
            {.name = "a", .type = GgmlType::Q4_K, .shape = {3, 256}, .fill = fill},
            {.name = "b", .type = GgmlType::F32, .shape = {}, .fill = fill}};
        writeGguf(path_, metadata, tensors);
        const Json expected = Json::parse(
            testing::runReference({testing::sourcePath("tests/unit/files/read_with_gguf.py"),
                                   QString::fromStdString(path_)})
                .toStdString());
        const Json seen = seenBy(readGgufHeader(InputFile(path_)));
        QVERIFY2(seen == expected, (seen.dump() + "\n" + expected.dump()).c_str());
    }
};

LOWTIDE_TEST(GgufPythonTest)

}  // namespace gguf_python_test

#include "gguf_python_test.moc"
