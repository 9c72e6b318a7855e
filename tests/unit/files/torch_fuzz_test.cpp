#include "plugin/files/torch_file.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/unit/files/pickle_bytes.hpp"

#include <QtTest/QtTest>

#include <random>

using namespace lowtide;
using namespace lowtide::files;
using namespace lowtide::testing;

namespace {

constexpr int kMutations = 20000;

using Random = std::mt19937_64;

size_t below(Random& random, size_t limit) {
    return random() % limit;
}

std::string goodPickle() {
    return pickledDict({{"state_dict",
                         pickledDict({{"a", pickledTensor({})},
                                      {"b",
                                       pickledTensor({.storageType = "HalfStorage",
                                                      .key = "1",
                                                      .elements = 4,
                                                      .first = 1,
                                                      .shape = {3},
                                                      .strides = {1}})}})},
                        {"global_step", "K\x05"}});
}

std::string archiveOf(const std::string& pickle) {
    return zipBytes(
        {{.name = "m/data.pkl", .content = pickle},
         {.name = "m/byteorder", .content = "little"},
         {.name = "m/data/0", .content = std::string(24, 'x'), .localExtra = std::string(7, 'Z')},
         {.name = "m/data/1", .content = std::string(8, 'y')}});
}

std::string mutated(std::string text, Random& random) {
    const size_t at = below(random, text.size());
    switch (below(random, 4)) {
        case 0:
            text[at] = static_cast<char>(random());
            break;
        case 1:
            text[at] = static_cast<char>(text[at] ^ (1 << below(random, 8)));
            break;
        case 2:
            text.erase(at, 1 + below(random, 6));
            break;
        default:
            text.insert(at, text.substr(below(random, text.size()), 1 + below(random, 12)));
            break;
    }
    return text.empty() ? std::string("x") : text;
}

/// Either the pickle is changed inside a right archive, or any byte of the file.
std::string mutatedFile(Random& random) {
    std::string pickle = pickled(goodPickle());
    if (below(random, 3) > 0) {
        for (size_t change = 1 + below(random, 2); change-- > 0;) {
            pickle = mutated(pickle, random);
        }
        return archiveOf(pickle);
    }
    return mutated(archiveOf(pickle), random);
}

/// Every tensor lies inside the file, whatever its strides.
bool isTrue(const TorchHeader& header, Bytes fileBytes) {
    for (const auto& [name, tensor] : header.tensors) {
        Bytes last = 0;
        for (size_t i = 0; i < tensor.strides.size(); ++i) {
            last += (tensor.info.shape[i] - 1) * tensor.strides[i];
        }
        const Bytes reach =
            tensor.strides.empty() ? tensor.info.bytes : (last + 1) * sizeOf(tensor.info.type);
        if (tensor.info.offset < 0 || reach < 0 || tensor.info.offset > fileBytes - reach) {
            return false;
        }
    }
    return true;
}

}  // namespace

/// Whatever bytes come: reading the header gives a value that is true, or a lowtide::Error.
/// Sanitizer builds make it a search for memory errors.
class TorchFuzzTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void mutationsGiveAValueOrAnError() {
        constexpr uint64_t kSeed = 20260302;
        Random random(kSeed);
        int values = 0;
        int errors = 0;
        for (int i = 0; i < kMutations; ++i) {
            const std::string bytes = mutatedFile(random);
            const auto error = errorOf([&] {
                const TorchHeader header =
                    readTorchHeader(MemoryBytes(std::as_bytes(std::span(bytes)), "m.ckpt"));
                QVERIFY2(isTrue(header, static_cast<Bytes>(bytes.size())),
                         qPrintable(QString::number(i)));
            });
            const bool expected = !error || error->kind() == ErrorKind::Corrupt ||
                                  error->kind() == ErrorKind::Unsupported;
            QVERIFY2(expected, error ? error->what() : "");
            QVERIFY(!error ||
                    QString::fromStdString(error->message()).toStdString() == error->message());
            ++(error ? errors : values);
        }
        // Both outcomes must have been seen often, or the mutations are too tame or too wild.
        QVERIFY2(values > kMutations / 20 && errors > kMutations / 4,
                 qPrintable(QString::number(values)));
    }
};

QTEST_GUILESS_MAIN(TorchFuzzTest)
#include "torch_fuzz_test.moc"
