// From a choice to types and switches, and from these to what lies on a device.
#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/device_spec.hpp"
#include "plugin/memory/layout.hpp"
#include "plugin/memory/resolve_precision.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace resolve_precision_test {

using namespace lowtide;
using namespace lowtide::memory;

namespace {

/// A family with a denoiser whose sums may be half, and an autoencoder that may overflow.
FamilyPrecision family() {
    const ComponentPreset asInFile{.storesAsInFile = true};
    const ComponentPreset half{.storage = DType::F16, .compute = DType::F16};
    const ComponentPreset summed{
        .storage = DType::F16, .compute = DType::F16, .accumulatesInHalf = true};
    const ComponentPreset brain{.storage = DType::F8E4M3, .compute = DType::BF16};
    return {.presets = {{"quality", {{"denoiser", asInFile}}},
                        {"balanced", {{"denoiser", half}, {"autoencoder", half}}},
                        {"speed", {{"denoiser", summed}, {"autoencoder", brain}}}},
            .keptF32 = {},
            .keptFromF8 = {{"denoiser", {"norm"}}},
            .mayOverflow = {"autoencoder"},
            .notes = {{"denoiser",
                       [](const ComponentPrecision& precision, const NumericTraits&) {
                           return precision.compute == DType::F16;
                       },
                       Message("of f16")},
                      {"denoiser",
                       [](const ComponentPrecision& precision, const NumericTraits& device) {
                           return device.isCuda && precision.preset == "speed";
                       },
                       Message("of speed on a card")}}};
}

ComponentPrecision resolve(const std::string& choice,
                           const NumericTraits& device,
                           std::set<FileType> types = {DType::F32},
                           const std::string& role = "denoiser") {
    return resolvePrecision(
        parsePrecision(choice), family(), role, device, [types] { return types; });
}

/// Two leaves of a file in `type`: a convolution [4, 3, 3, 3] with bias, and a norm.
ComponentTree treeOf(DType type) {
    ComponentTree tree{.id = "tree", .role = "denoiser", .network = "N", .files = {{}}};
    const auto add = [&](const std::string& leaf, const char* name, Shape shape) {
        const auto id = static_cast<uint32_t>(tree.weights.size());
        tree.storages.push_back({.key = leaf + "." + name,
                                 .fileType = type,
                                 .elementCount = elementCount(shape).value()});
        tree.weights.push_back({.name = leaf + "." + name, .storage = id, .shape = shape});
        return id;
    };
    tree.leaves.push_back(
        {.name = "conv",
         .weights = {add("conv", "weight", {4, 3, 3, 3}), add("conv", "bias", {4})}});
    tree.leaves.push_back({.name = "norm", .weights = {add("norm", "weight", {4})}});
    return tree;
}

/// The same with the types one after the other.
ComponentTree treeOf(const std::set<FileType>& types) {
    ComponentTree tree = treeOf(DType::F32);
    auto next = types.begin();
    for (Storage& storage : tree.storages) {
        storage.fileType = next->type;
        if (!next->encoding.empty()) {
            storage.encoded = Encoded{.encoding = next->encoding};
        }
        next = std::next(next) == types.end() ? types.begin() : std::next(next);
    }
    return tree;
}

}  // namespace

class ResolvePrecisionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void cardsHaveTheTraitsOfTheirArchitecture_data() {
        const testing::Rows<int, bool, bool, bool, bool> row(
            "capability", "f16", "bf16", "tf32", "flash3");
        row("Pascal", 61, false, false, false, false);
        row("Volta", 70, true, false, false, false);
        row("Turing", 75, true, false, false, false);
        row("Ampere", 80, true, true, true, false);
        row("Ada", 89, true, true, true, false);
        row("Hopper", 90, true, true, true, true);
        row("Blackwell", 120, true, true, true, false);
    }

    /// Products in half types came with Volta, bf16 and tf32 with Ampere; FlashAttention 3 is
    /// written for Hopper alone.
    void cardsHaveTheTraitsOfTheirArchitecture() {
        QFETCH(int, capability);
        const NumericTraits traits = NumericTraits::ofCuda(capability);
        QVERIFY(traits.isCuda);
        QTEST(traits.gainsFromF16, "f16");
        QTEST(traits.gainsFromBf16, "bf16");
        QTEST(traits.hasTf32, "tf32");
        QTEST(traits.hasFlash3, "flash3");
    }

    /// A processor gains nothing from less.
    void everythingIsF32WhereLessBringsNothing() {
        for (const char* preset : {"quality", "balanced", "speed"}) {
            const ComponentPrecision precision = resolve(preset, {}, {DType::F16});
            QVERIFY(precision.storage == DType::F32 && precision.compute == DType::F32);
            QVERIFY(!precision.storesAsInFile && !precision.checksFinite);
            QVERIFY(precision.lossy.empty());
        }
    }

    void aSwitchWithoutEffectIsNeverOn() {
        const std::string everything =
            "speed,matmul_half_accumulation=on,convolution_half_accumulation=on,"
            "split_k_reduction=on,tf32_matmul=on,tf32_convolution=on,cudnn_benchmark=on,"
            "cudnn_deterministic=on,attention_flash_3=on,attention_memory_efficient=on,"
            "attention_cudnn=on,attention_math_half_reduction=on";
        const Json switches = toJson(resolve(everything, {})).at("switches");
        QCOMPARE(switches.size(), kNumericSwitchCount);
        for (const auto& [name, state] : switches.items()) {
            const bool works = name == "attention_flash" || name == "attention_math";
            QVERIFY2(state == (works ? "on" : "not applicable here"), name.c_str());
        }
    }

    void qualityTakesWhatTheFileHas() {
        const NumericTraits card = NumericTraits::ofCuda(86);
        const ComponentPrecision whole = resolve("quality", card, {DType::F32});
        QVERIFY(whole.storesAsInFile && whole.compute == DType::F32);
        QVERIFY(whole.lossy.empty());
        QVERIFY(resolve("quality", card, {DType::F16}).compute == DType::F16);
        QVERIFY(resolve("quality", card, {DType::BF16}).compute == DType::BF16);
        QVERIFY(resolve("quality", card, {DType::F16, DType::F32}).compute == DType::F32);
        // bf16 is not faster there: f32 instead, of which f16 has not the range.
        QVERIFY(resolve("quality", NumericTraits::ofCuda(75), {DType::BF16}).compute == DType::F32);
    }

    void askedTypesComeBeforeThePreset() {
        const ComponentPrecision precision = resolve("balanced,storage=bf16", {});
        QVERIFY(precision.storage == DType::BF16 && precision.compute == DType::F32);
        QCOMPARE(precision.lossy.size(), size_t{1});
        QCOMPARE(precision.lossy.front().str(),
                 std::string("the weights of the denoiser are stored as bf16, its file has f32"));
        QVERIFY(resolve("balanced,storage=bf16", {}, {DType::BF16}).lossy.empty());
        QVERIFY(!resolve("balanced,storage=f16", {}, {DType::BF16}).lossy.empty());
        QVERIFY(resolve("balanced,storage=f16", {}, {DType::F8E4M3}).lossy.empty());
        QVERIFY(resolve("balanced,storage=file", {}, {DType::F16}).lossy.empty());
        QVERIFY(resolve("balanced,storage=file", {}, {{DType::F32, "q4_k"}}).lossy.empty());
        QCOMPARE(resolve("balanced,storage=bf16", {}, {DType::BF16, {DType::F32, "q4_k"}}).lossy,
                 std::vector<Message>{
                     Message("the weights of the denoiser are stored as bf16, its file has q4_k")});
        QCOMPARE(resolve("balanced,compute=bf16", {}).lossy.front().str(),
                 std::string("the denoiser computes in bf16"));
    }

    void quantisedFilesRemainAsTheyAre_data() {
        QTest::addColumn<QString>("preset");
        QTest::addColumn<int>("capability");
        for (const char* preset : {"quality", "balanced", "speed"}) {
            for (const int capability : {0, 61, 75, 86, 90}) {
                QTest::addRow("%s, %d", preset, capability) << preset << capability;
            }
        }
    }

    /// In every preset and on every device, whatever else the file has; computed as any other file.
    void quantisedFilesRemainAsTheyAre() {
        QFETCH(QString, preset);
        QFETCH(int, capability);
        const std::string choice = preset.toStdString();
        const NumericTraits device =
            capability > 0 ? NumericTraits::ofCuda(capability) : NumericTraits();
        const std::vector<std::set<FileType>> files = {{{DType::F32, "q4_k"}},
                                                       {DType::F16, {DType::F32, "f8_e4m3"}},
                                                       {DType::F8E4M3, DType::BF16},
                                                       {DType::F8E5M2}};
        const ComponentPrecision plain = resolve(choice, device, {DType::F32});
        for (const std::set<FileType>& types : files) {
            const ComponentTree tree = treeOf(types);
            const ComponentPrecision resolved = resolve(choice, device, types);
            QCOMPARE(toJson(resolved).at("quantised"), Json("file"));
            const ComponentPrecision kept = settled(resolved, tree);
            QVERIFY(kept.storesAsInFile);
            QVERIFY(kept.compute == plain.compute);
            QVERIFY(kept.lossy == resolve(choice + ",storage=file", device, types).lossy);
            QCOMPARE(toJson(kept).at("storage"), Json("file"));
            QCOMPARE(inPrecision(tree, resolved).id, inPrecision(tree, kept).id);
            const ComponentPrecision asked =
                settled(resolve(choice + ",storage=bf16", device, types), tree);
            QVERIFY(!asked.storesAsInFile && asked.storage == DType::BF16);
            QCOMPARE(toJson(asked).at("quantised"), Json("decoded"));
        }
    }

    /// A preset's storage on the cpu is f32, and no file is opened for that.
    void noFileIsAskedWhereNothingHangsOnIt() {
        for (const char* preset : {"balanced", "speed"}) {
            bool isAsked = false;
            static_cast<void>(
                resolvePrecision(parsePrecision(preset), family(), "denoiser", {}, [&] {
                    isAsked = true;
                    return std::set<FileType>{DType::F32};
                }));
            QVERIFY2(!isAsked, preset);
        }
    }

    void plainFilesSettleAsThePresetHasThem() {
        const ComponentTree tree = treeOf({DType::F16, DType::F32});
        for (const char* preset : {"balanced", "speed"}) {
            const ComponentPrecision resolved = resolve(preset, NumericTraits::ofCuda(86));
            const ComponentPrecision plain = settled(resolved, tree);
            QVERIFY(!plain.storesAsInFile && plain.storage == resolved.storage);
        }
    }

    /// By role, by what was resolved, and by the device.
    void notesAreThoseThatApply() {
        using Notes = std::vector<Message>;
        const NumericTraits card = NumericTraits::ofCuda(86);
        QCOMPARE(resolve("balanced", card).notes, Notes{Message("of f16")});
        QCOMPARE(resolve("speed", card).notes,
                 (Notes{Message("of f16"), Message("of speed on a card")}));
        QCOMPARE(resolve("speed,compute=f32", card).notes, Notes{Message("of speed on a card")});
        QCOMPARE(resolve("speed", {}).notes, Notes{});
        QCOMPARE(resolve("speed", card, {DType::F32}, "autoencoder").notes, Notes{});
        QCOMPARE(toJson(resolve("balanced", card)).at("notes"), Json({"of f16"}));
    }

    void onlyWhatMayOverflowIsChecked() {
        QVERIFY(!resolve("balanced,compute=f16", {}).checksFinite);
        QVERIFY(resolve("balanced,compute=f16", {}, {DType::F32}, "autoencoder").checksFinite);
        QVERIFY(!resolve("balanced", {}, {DType::F32}, "autoencoder").checksFinite);
    }

    void everyLossySwitchIsNamed() {
        const ComponentPrecision precision = resolve("speed", NumericTraits::ofCuda(80));
        const auto names = [&](const char* name) {
            return std::any_of(
                precision.lossy.begin(), precision.lossy.end(), [&](const Message& sentence) {
                    return sentence.str().find(name) == 0;
                });
        };
        QVERIFY(names("matmul_half_accumulation is on: "));
        QVERIFY(names("split_k_reduction is on: "));
        QVERIFY(names("cudnn_benchmark is on: "));
        QVERIFY(names("attention_math_half_reduction is on: "));
        QVERIFY(!names("tf32"));              // nothing of it computes in f32
        QVERIFY(!names("convolution_half"));  // ATen's convolutions never sum in half
    }

    void bytesOnADeviceAreThoseOfTheStorage_data() {
        QTest::addColumn<QString>("choice");
        QTest::addColumn<int>("fileType");
        QTest::addColumn<qint64>("convolution");
        QTest::addColumn<qint64>("norm");
        const auto row = [](const char* choice, DType type, qint64 convolution, qint64 norm) {
            QTest::addRow("%s of %s", choice, std::string(nameOf(type)).c_str())
                << choice << static_cast<int>(type) << convolution << norm;
        };
        row("balanced", DType::F16, 432, 16);
        row("balanced,storage=f32", DType::F16, 432, 16);
        row("balanced,storage=f16", DType::F32, 216, 8);
        row("balanced,storage=bf16,compute=bf16", DType::F32, 216, 8);
        row("balanced,storage=file", DType::F16, 216, 8);
        row("balanced,storage=f8", DType::F32, 108 + 4 * 4, 16);
        row("balanced,storage=f8", DType::F16, 108 + 4 * 4, 8);
        row("balanced,storage=f8", DType::F8E4M3, 108, 4);
    }

    void bytesOnADeviceAreThoseOfTheStorage() {
        QFETCH(QString, choice);
        QFETCH(int, fileType);
        QFETCH(qint64, convolution);
        QFETCH(qint64, norm);
        const auto type = static_cast<DType>(fileType);
        const ComponentTree tree =
            inPrecision(treeOf(type), resolve(choice.toStdString(), {}, {type}));
        QCOMPARE(tree.deviceBytes(0), Bytes{convolution});
        QCOMPARE(tree.deviceBytes(2), Bytes{norm});
        const Layout layout = groupByLeaf(tree);
        QCOMPARE(layout.groups[0].contentBytes, tree.deviceBytes(0) + tree.deviceBytes(1));
    }

    void whatLiesOnADeviceHasItsOwnId() {
        const ComponentTree tree = treeOf(DType::F32);
        const auto typed = [&](const char* choice) {
            return inPrecision(tree, resolve(choice, {}));
        };
        QCOMPARE(typed("balanced").id, tree.id);
        QCOMPARE(typed("balanced,compute=bf16").id, tree.id);  // the same bytes
        QVERIFY(typed("balanced,compute=bf16").weights[0].computeType == DType::BF16);
        const ComponentTree half = typed("balanced,storage=bf16");
        QVERIFY(half.id != tree.id);
        QCOMPARE(half.weightsId(), tree.id);
        QCOMPARE(half.id, typed("speed,storage=bf16,compute=bf16").id);
        QVERIFY(half.id != typed("balanced,storage=f16").id);
        QVERIFY(typed("balanced,storage=f8").id != typed("balanced,storage=f16").id);
    }

    void keptLayersRemainAsInTheFile() {
        const ComponentTree tree = inPrecision(
            treeOf(DType::F32), resolve("balanced,storage=bf16,compute=bf16,keep_f32=norm", {}));
        QVERIFY(tree.deviceType(0) == DType::BF16);
        QVERIFY(tree.weights[0].computeType == DType::BF16);
        QVERIFY(tree.deviceType(2) == DType::F32);
        QVERIFY(tree.weights[2].computeType == DType::F32);
    }

    /// Where products take 16 bits, their weights come as the file has them, and norms in f32; not
    /// where deltas are added, where the file has another type, or computes in another.
    void multipliedHalvesComeAsTheyLie() {
        const NumericTraits halves{.multipliesHalves = true};
        const auto typed =
            [&](const char* choice, ComponentTree tree, const NumericTraits& device) {
                tree.weights[0].isMultiplied = true;
                return inPrecision(tree, resolve(choice, device));
            };
        const ComponentTree plain = treeOf(DType::BF16);
        const ComponentTree tree = typed("balanced", plain, halves);
        QVERIFY(tree.deviceType(0) == DType::BF16);
        QVERIFY(tree.leasedType(tree.weights[0]) == DType::BF16);
        QVERIFY(tree.weights[0].computeType == DType::F32);
        QVERIFY(tree.deviceType(2) == DType::F32);
        QVERIFY(tree.leasedType(tree.weights[2]) == DType::F32);
        QVERIFY(tree.id != plain.id && tree.weightsId() == plain.id);
        QCOMPARE(toJson(resolve("balanced", halves)).at("storage"), Json("file"));

        const auto isWidened = [](const ComponentTree& other) {
            return !other.weights[0].isLeasedAsStored &&
                   other.leasedType(other.weights[0]) == DType::F32;
        };
        QVERIFY(isWidened(typed("balanced", plain, {})));
        QVERIFY(isWidened(typed("balanced", treeOf(DType::F32), halves)));
        QVERIFY(isWidened(typed("balanced,storage=f8", plain, halves)));
        QVERIFY(!typed("balanced,compute=f16", plain, halves).weights[0].isLeasedAsStored);
        QVERIFY(typed("balanced,storage=file", plain, halves).weights[0].isLeasedAsStored);
        ComponentTree changed = plain;
        changed.deltas.push_back({.weight = 0});
        QVERIFY(isWidened(typed("balanced", changed, halves)));
        QVERIFY(typed("balanced", changed, halves).deviceType(0) == DType::F32);
    }

    /// What a lease makes of them is not read from the file's map, but the weights may be.
    void storedAsInTheFileTheyAreUsedInPlace() {
        ComponentTree tree = treeOf(DType::F16);
        const DeviceTraits cpu{.usesWeightsInPlace = true};
        QVERIFY(!isUsedInPlace(tree, cpu));
        QVERIFY(isUsedInPlace(inPrecision(tree, resolve("balanced,storage=file", {})), cpu));
        QVERIFY(!isUsedInPlace(inPrecision(tree, resolve("balanced,storage=f8", {})), cpu));
    }
};

LOWTIDE_TEST(ResolvePrecisionTest)

}  // namespace resolve_precision_test

#include "resolve_precision_test.moc"
