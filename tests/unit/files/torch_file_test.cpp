#include "plugin/files/torch_file.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/files/pickle_bytes.hpp"
#include "tests/unit/files/refused_bytes.hpp"

#include <QtTest/QtTest>

namespace torch_file_test {

using namespace lowtide;
using namespace lowtide::files;
using namespace lowtide::testing;

namespace {

constexpr int64_t kMost = INT64_MAX;

TorchHeader read(const std::string& bytes) {
    return readTorchHeader(MemoryBytes(std::as_bytes(std::span(bytes)), "a.ckpt"));
}

/// A file with one tensor "t".
std::string fileWith(const PickledTensor& tensor) {
    return torchBytes(pickledDict({{"t", pickledTensor(tensor)}}));
}

std::vector<RefusedBytes> badTensors() {
    using enum ErrorKind;
    return {
        {"beyond the storage", fileWith({.shape = {2, 4}, .strides = {4, 1}}), Corrupt, "outside"},
        {"strides beyond", fileWith({.strides = {4, 1}}), Corrupt, "outside"},
        {"begins beyond", fileWith({.first = 1}), Corrupt, "outside"},
        {"begins far beyond", fileWith({.first = kMost}), Corrupt, "outside"},
        {"begins before", fileWith({.first = -1}), Corrupt, "offset in the storage"},
        {"negative size", fileWith({.shape = {-2, 3}}), Corrupt, "shape"},
        {"negative stride", fileWith({.strides = {-3, 1}}), Corrupt, "strides"},
        {"overflow", fileWith({.shape = {kMost, kMost}}), Corrupt, "do not make a tensor"},
        {"strides overflow",
         fileWith({.shape = {3, 2}, .strides = {kMost, kMost}}),
         Corrupt,
         "outside"},
        {"strides are missing", fileWith({.strides = {1}}), Corrupt, "do not make a tensor"},
        {"too many sizes",
         fileWith({.shape = std::vector<int64_t>(17, 1), .strides = std::vector<int64_t>(17, 1)}),
         Corrupt,
         "at most 16"},
        {"a storage that is larger", fileWith({.elements = 7}), Corrupt, "should have 7 F32"},
        {"a storage that is smaller", fileWith({.elements = 5}), Corrupt, "should have 5 F32"},
        {"a storage without end", fileWith({.elements = kMost}), Corrupt, "should have"},
        {"a storage of another type",
         fileWith({.storageType = "DoubleStorage"}),
         Corrupt,
         "should have 6 F64"},
        {"no storage", fileWith({.key = "1"}), Corrupt, "not in the file"},
        {"a storage elsewhere", fileWith({.key = "../data.pkl"}), Corrupt, "not in the file"},
        {"twice",
         torchBytes(pickledDict({{"t", pickledTensor({})}, {"t", pickledTensor({})}})),
         Corrupt,
         "twice"},
        {"a type that is not read",
         fileWith({.storageType = "ComplexFloatStorage"}),
         Unsupported,
         "torch ComplexFloatStorage"},
        {"a tensor of nothing",
         torchBytes(
             pickledDict({{"t", pickledGlobal("torch._utils", "_rebuild_tensor_v2") + ")R"}})),
         Corrupt,
         "made from 0 values"},
        {"a parameter of nothing",
         torchBytes(
             pickledDict({{"t", pickledGlobal("torch._utils", "_rebuild_parameter") + "N\x85R"}})),
         Corrupt,
         "what is no tensor"},
    };
}

std::vector<RefusedBytes> badFiles() {
    using enum ErrorKind;
    const std::string good = pickledDict({{"t", pickledTensor({})}});
    return {
        {"code",
         torchBytes(pickledGlobal("posix", "system") + pickledText("true") + "\x85R"),
         Unsupported,
         "posix system"},
        {"no dict", torchBytes("N"), Corrupt, "no dict"},
        {"no pickle", zipBytes({{.name = "a/x", .content = "y"}}), Unsupported, "data.pkl"},
        {"two pickles",
         torchBytes(good, {{.name = "b/data.pkl", .content = pickled(good)}}),
         Corrupt,
         "two pickles"},
        {"big-endian",
         zipBytes({{.name = "a/data.pkl", .content = pickled(good)},
                   {.name = "a/byteorder", .content = "big"},
                   {.name = "a/data/0", .content = std::string(24, 'w')}}),
         Unsupported,
         "byte order"},
    };
}

std::vector<RefusedBytes> badLegacyFiles() {
    using enum ErrorKind;
    const std::string good = pickledDict({{"t", pickledTensor({})}});
    const std::string whole = legacyBytes(good);
    return {
        {"old: cut in the storage", whole.substr(0, whole.size() - 1), Corrupt, "does not lie"},
        {"old: cut in a pickle", whole.substr(0, 120), Corrupt, "a.ckpt"},
        {"old: no count", legacyBytes(good, {.elements = -1}), Corrupt, "of -1 elements"},
        {"old: a huge count", legacyBytes(good, {.elements = kMost}), Corrupt, "does not lie"},
        {"old: a storage that is smaller",
         legacyBytes(good, {.elements = 5}),
         Corrupt,
         "should have 6 F32"},
        {"old: a storage of nobody", legacyBytes(good, {.keys = {"9"}}), Corrupt, "does not lie"},
        {"old: no storage", legacyBytes(good, {.keys = {}}), Corrupt, "not in the file"},
        {"old: version", legacyBytes(good, {.version = 1000}), Unsupported, "than 1001"},
        {"old: big-endian", legacyBytes(good, {.isLittleEndian = false}), Unsupported, "endian"},
        {"old: code",
         legacyBytes(pickledGlobal("posix", "system") + pickledText("true") + "\x85R"),
         Unsupported,
         "posix system"},
        {"old: no dict", legacyBytes("N", {.keys = {}}), Corrupt, "no dict"},
    };
}

std::vector<RefusedBytes> allBad() {
    std::vector<RefusedBytes> all = badTensors();
    const std::vector<RefusedBytes> more = badFiles();
    all.insert(all.end(), more.begin(), more.end());
    const std::vector<RefusedBytes> old = badLegacyFiles();
    all.insert(all.end(), old.begin(), old.end());
    return all;
}

}  // namespace

/// Headers of what torch.save writes: every tensor lies inside its storage, or the file is refused.
class TorchFileTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void findsTensorsWhereTheyLie() {
        const std::string bytes = fileWith({.first = 2, .shape = {2, 2}, .strides = {2, 1}});
        const TorchTensor tensor = read(bytes).tensors.at("t");
        const size_t storage = bytes.find(std::string(24, 'w'));
        QVERIFY(tensor.info.type == DType::F32);
        QCOMPARE(tensor.info.shape, Shape({2, 2}));
        QCOMPARE(tensor.info.offset, static_cast<Bytes>(storage) + 8);
        QCOMPARE(tensor.info.bytes, 16);
        QVERIFY(tensor.strides.empty());
    }

    /// The same tensor as in an archive; the pickle does not state where storages lie.
    void findsTensorsOfOldFiles() {
        const std::string body =
            pickledDict({{"t", pickledTensor({.first = 2, .shape = {2, 2}, .strides = {2, 1}})}});
        const std::string bytes = legacyBytes(pickledDict({{"params", body}, {"step", "K\x07"}}));
        const TorchHeader header = read(bytes);
        const TorchTensor tensor = header.tensors.at("t");
        QCOMPARE(header.tensors.size(), 1u);
        QCOMPARE(header.metadata.at("step"), std::string("7"));
        QVERIFY(tensor.info.type == DType::F32);
        QCOMPARE(tensor.info.shape, Shape({2, 2}));
        QCOMPARE(tensor.info.offset, static_cast<Bytes>(bytes.size()) - 24 + 8);
        QVERIFY(tensor.strides.empty());
    }

    void looksThroughWrappers_data() {
        QTest::addColumn<QString>("wrapper");
        QTest::newRow("lightning") << "state_dict";
        QTest::newRow("averaged") << "params_ema";
        QTest::newRow("plain") << "params";
        QTest::newRow("embedding") << "string_to_param";
    }

    void looksThroughWrappers() {
        QFETCH(QString, wrapper);
        const std::string inner = pickledDict({{"t", pickledTensor({})}});
        const TorchHeader header = read(torchBytes(pickledDict(
            {{"other", pickledTensor({})}, {wrapper.toStdString(), inner}, {"step", "K\x07"}})));
        QCOMPARE(header.tensors.size(), 1u);
        QVERIFY(header.tensors.contains("t"));
        QCOMPARE(header.metadata.at("step"), std::string("7"));
    }

    /// What it was until PyTorch 1.11: a module with its parameters in its state.
    void looksIntoModulesOfParameters() {
        const std::string inner = pickledDict({{"*", pickledTensor({})}});
        const std::string module =
            pickledGlobal("torch.nn.modules.container", "ParameterDict") + ")\x81" +
            pickledDict({{"training", "\x88"}, {"_parameters", inner}}) + "b";
        const TorchHeader header = read(
            torchBytes(pickledDict({{"other", pickledTensor({})}, {"string_to_param", module}})));
        QCOMPARE(header.tensors.size(), 1u);
        QVERIFY(header.tensors.contains("*"));
    }

    void takesParametersAndWhatTrainersLeave() {
        const std::string parameter = pickledGlobal("torch._utils", "_rebuild_parameter") + "(" +
                                      pickledTensor({}) + "\x88Nt" + "R";
        const std::string callback =
            "}" + pickledGlobal("pytorch_lightning.callbacks.model_checkpoint", "ModelCheckpoint") +
            "}s";
        const TorchHeader header =
            read(torchBytes(pickledDict({{"t", parameter}, {"callbacks", callback}})));
        QCOMPARE(header.tensors.size(), 1u);
    }

    void leavesOutTextsThatAreNotUtf8() {
        const std::string bad = "U\x02\xff\xfe";  // as Python 2 writes bytes
        const TorchHeader header = read(torchBytes("}(" + pickledText("note") + bad + bad +
                                                   "K\x01" + pickledText("step") + "K\x07u"));
        QCOMPARE(header.metadata.size(), 1u);
        QCOMPARE(header.metadata.at("step"), std::string("7"));
    }

    void statesStridesOfWhatIsNotRowMajor() {
        const auto strides = [](const PickledTensor& tensor) {
            return read(fileWith(tensor)).tensors.at("t").strides;
        };
        QCOMPARE(strides({.strides = {1, 2}}), Shape({1, 2}));
        QCOMPARE(strides({.shape = {2, 2}, .strides = {0, 1}}), Shape({0, 1}));
        // A stride over one element has no meaning.
        QVERIFY(strides({.shape = {1, 6}, .strides = {99, 1}}).empty());
        QVERIFY(strides({.shape = {0, 6}, .strides = {kMost, 1}}).empty());
    }

    void refusesWhatIsNotTrue_data() { addRows(allBad()); }

    void refusesWhatIsNotTrue() {
        checkRow(allBad(), "a.ckpt", [](const std::string& bytes) { (void)read(bytes); });
    }
};

LOWTIDE_TEST(TorchFileTest)

}  // namespace torch_file_test

#include "torch_file_test.moc"
