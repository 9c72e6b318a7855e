// What the presets of Stable Diffusion XL sum and upcast, what the family reports of it, and
// docs/precision.md.
#include "plugin/families/flux/flux_transformer.hpp"
#include "plugin/families/hidream/hidream_transformer.hpp"
#include "plugin/families/sd15/sd15.hpp"
#include "plugin/families/sdxl/sdxl_precision.hpp"
#include "plugin/families/wan/wan.hpp"
#include "plugin/families/zimage/zimage_transformer.hpp"
#include "plugin/memory/resolve_precision.hpp"
#include "plugin/nn/model.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <algorithm>

namespace family_precision_test {

using namespace lowtide;

namespace {

/// A kind of checkpoint of Stable Diffusion XL on a GPU, and what its denoiser's sums and notes
/// are under a precision.
struct XlRow {
    const char* name;
    models::SdxlPrecisionFacts facts;
    const char* precision;
    bool sumsInHalf;
    const char* note;  ///< a part of the one there is; "": none
};

const XlRow kXlRows[] = {
    {"base, balanced", {}, "balanced", false, ""},
    {"base, speed", {}, "speed", false, "sums remain in f32: users of OneDiff found"},
    {"base, asked",
     {},
     "speed,matmul_half_accumulation=on",
     true,
     "users of OneDiff found images of SDXL base softer with f16 sums, at 5 % less time"},
    {"EDM, balanced", {.hasEdmLevels = true}, "balanced", false, ""},
    {"EDM, speed", {.hasEdmLevels = true}, "speed", true, "playground-v2.5 tolerant of f16 sums"},
    {"EDM, not asked", {.hasEdmLevels = true}, "speed,matmul_half_accumulation=off", false, ""},
    {"EDM, upcast_attention",
     {.sumsInF32 = true, .hasEdmLevels = true},
     "speed",
     false,
     "the checkpoint asks for it (upcast_attention)"},
    {"base, upcast_attention", {.sumsInF32 = true}, "speed", false, "(upcast_attention)"}};

/// How a checkpoint's autoencoder is computed and what is reported about it.
struct UpcastRow {
    const char* name;
    bool decodesInF32;  ///< force_upcast
    int capability;     ///< of the GPU; 0: a CPU
    const char* precision;
    const char* compute;
    bool checksFinite;
    const char* note;  ///< a part of the one there is; "": none
};

const UpcastRow kUpcastRows[] = {
    {"upcast, quality", true, 86, "quality", "f32", false, ""},
    {"upcast, balanced",
     true,
     86,
     "balanced",
     "f32",
     false,
     "computes in f32: the checkpoint states"},
    {"upcast, speed", true, 86, "speed", "f32", false, "(force_upcast)"},
    {"upcast, asked for half",
     true,
     86,
     "balanced,compute=f16",
     "f16",
     true,
     "it computes once more in f32, for which the plan reserves no memory"},
    {"upcast, asked for bf16", true, 86, "balanced,compute=bf16", "bf16", true, ""},
    {"upcast, an old GPU", true, 61, "balanced", "f32", false, ""},
    {"upcast, a CPU", true, 0, "balanced", "f32", false, ""},
    {"no upcast", false, 86, "balanced", "f16", true, ""},
    {"no upcast, quality", false, 86, "quality", "f32", false, ""}};

/// A family as docs/precision.md names it.
struct NamedFamily {
    const char* name;
    memory::FamilyPrecision precisions;
};

std::vector<NamedFamily> namedFamilies() {
    return {{"Stable Diffusion 1.x", models::sd15Precisions(false)},
            {"Stable Diffusion 2.x, or `upcast_attention`", models::sd15Precisions(true)},
            {"SDXL", models::sdxlPrecisions({.decodesInF32 = true})},
            {"SDXL, `force_upcast` off", models::sdxlPrecisions({})},
            {"SDXL with EDM (playground-v2.5)",
             models::sdxlPrecisions({.decodesInF32 = true, .hasEdmLevels = true})},
            {"FLUX.1", models::fluxPrecisions()},
            {"HiDream-I1", models::hidreamPrecisions()},
            {"WAN", models::wanPrecisions()},
            {"Z-Image", models::zimagePrecisions()}};
}

/// Of a file in f16, on a card that has every switch.
memory::ComponentPrecision onGpu(const memory::FamilyPrecision& family,
                                 const std::string& choice,
                                 std::string_view role) {
    return resolvePrecision(memory::parsePrecision(choice),
                            family,
                            std::string(role),
                            memory::NumericTraits::ofCuda(90),
                            [] { return std::set<memory::FileType>{DType::F16}; });
}

std::string typesCell(const memory::ComponentPrecision& precision) {
    const std::string compute = memory::shortNameOf(precision.compute);
    const std::string storage =
        precision.storesAsInFile ? "file" : memory::shortNameOf(precision.storage);
    return storage == compute ? compute : storage + " in " + compute;
}

std::string familyTable() {
    std::string table =
        "| family | preset | text encoders | denoiser | autoencoder | f16 sums |\n"
        "|---|---|---|---|---|---|\n";
    for (const NamedFamily& family : namedFamilies()) {
        for (const std::string_view preset : memory::kPrecisionPresets) {
            const auto of = [&](std::string_view role) {
                return onGpu(family.precisions, std::string(preset), role);
            };
            const auto denoiser = of(models::kDenoiser);
            const bool sums = denoiser.stateOf(memory::NumericSwitch::MatmulHalfAccumulation) ==
                              memory::SwitchState::On;
            table += "| " + std::string(family.name) + " | " + std::string(preset) + " | " +
                     typesCell(of(models::kTextEncoder)) + " | " + typesCell(denoiser) + " | " +
                     typesCell(of(models::kAutoencoder)) + " | " + (sums ? "yes" : "no") + " |\n";
        }
    }
    return table;
}

/// Of the denoiser of Stable Diffusion 1.x in f16; of one in f32 where f16 has no such switch.
std::string switchCell(std::string_view preset, memory::NumericSwitch each) {
    for (const char* types : {"", ",compute=f32"}) {
        const auto state =
            onGpu(models::sd15Precisions(false), std::string(preset) + types, models::kDenoiser)
                .stateOf(each);
        if (state != memory::SwitchState::NotApplicable) {
            return state == memory::SwitchState::On ? "on" : "off";
        }
    }
    return "never";
}

std::string switchTable() {
    std::string table =
        "| switch | quality | balanced | speed | what turning it on costs or brings |\n"
        "|---|---|---|---|---|\n";
    for (size_t i = 0; i < memory::kNumericSwitchCount; ++i) {
        const auto each = static_cast<memory::NumericSwitch>(i);
        table += "| `" + std::string(nameOf(each)) + "` |";
        for (const std::string_view preset : memory::kPrecisionPresets) {
            table += " " + switchCell(preset, each) + " |";
        }
        table += " " + Message(costOf(each)).str() + " |\n";
    }
    return table;
}

std::string onlyNoteOf(const memory::ComponentPrecision& precision) {
    return precision.notes.size() > 1 ? "several notes"
           : precision.notes.empty()  ? std::string()
                                      : precision.notes.front().str();
}

}  // namespace

class FamilyPrecisionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void speedOfXlSumsInHalfWhereItIsBorne_data() { testing::addEach(kXlRows, &XlRow::name); }

    /// Case 5 of the product: SDXL base is sensitive, playground-v2.5 tolerant.
    void speedOfXlSumsInHalfWhereItIsBorne() {
        QFETCH(int, index);
        const XlRow& row = kXlRows[index];
        const auto precision =
            resolvePrecision(memory::parsePrecision(row.precision),
                             models::sdxlPrecisions(row.facts),
                             "denoiser",
                             memory::NumericTraits::ofCuda(86),
                             [] { return std::set<memory::FileType>{DType::F16}; });
        QVERIFY(precision.compute == DType::F16);
        QVERIFY(precision.stateOf(memory::NumericSwitch::MatmulHalfAccumulation) ==
                (row.sumsInHalf ? memory::SwitchState::On : memory::SwitchState::Off));
        const bool isMarked =
            std::any_of(precision.lossy.begin(), precision.lossy.end(), [](const Message& loss) {
                return loss.str().starts_with("matmul_half_accumulation is on");
            });
        QCOMPARE(isMarked, row.sumsInHalf);
        const std::string note = onlyNoteOf(precision);
        QCOMPARE(note.empty(), *row.note == 0);
        QVERIFY2(note.find(row.note) != std::string::npos, note.c_str());
    }

    void autoencodersOfXlAreUpcast_data() { testing::addEach(kUpcastRows, &UpcastRow::name); }

    void autoencodersOfXlAreUpcast() {
        QFETCH(int, index);
        const UpcastRow& row = kUpcastRows[index];
        const auto precision =
            resolvePrecision(memory::parsePrecision(row.precision),
                             models::sdxlPrecisions({.decodesInF32 = row.decodesInF32}),
                             "autoencoder",
                             row.capability > 0 ? memory::NumericTraits::ofCuda(row.capability)
                                                : memory::NumericTraits(),
                             [] { return std::set<memory::FileType>{DType::F16}; });
        QCOMPARE(memory::shortNameOf(precision.compute), std::string(row.compute));
        QCOMPARE(precision.checksFinite, row.checksFinite);
        const std::string note = onlyNoteOf(precision);
        QCOMPARE(note.empty(), *row.note == 0);
        QVERIFY2(note.find(row.note) != std::string::npos, note.c_str());
        QCOMPARE(memory::toJson(precision).at("notes").size(), precision.notes.size());
    }

    /// docs/precision.md is what the families state.
    void thePageIsWhatFamiliesState() {
        const QByteArray page = testing::contentsOf(testing::sourcePath("docs/precision.md"));
        const QByteArray begin = "<!-- tables -->\n";
        const auto at = page.indexOf(begin);
        const auto end = page.indexOf("<!-- end of tables -->");
        QVERIFY(at >= 0 && end > at);
        const QByteArray expected = QByteArray::fromStdString(familyTable() + "\n" + switchTable());
        if (page.mid(at + begin.size(), end - at - begin.size()) != expected) {
            testing::writeFile("precision_tables.md", expected);
            QFAIL("precision_tables.md has what the page should have");
        }
    }
};

LOWTIDE_TEST(FamilyPrecisionTest)

}  // namespace family_precision_test

#include "family_precision_test.moc"
