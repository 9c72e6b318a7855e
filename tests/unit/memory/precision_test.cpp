#include "plugin/base/error.hpp"
#include "plugin/memory/precision.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace precision_test {

using namespace lowtide;
using namespace lowtide::memory;

class PrecisionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void textFormSurvivesARoundTrip_data() {
        QTest::addColumn<QString>("text");
        for (const char* text : {"quality",
                                 "balanced",
                                 "speed,compute=bf16,storage=f8",
                                 "balanced,storage=file",
                                 "quality,compute=f16,keep_f32=norm+conv_out",
                                 "speed,matmul_half_accumulation=off,tf32_matmul=on"}) {
            QTest::newRow(text) << text;
        }
    }

    void textFormSurvivesARoundTrip() {
        QFETCH(QString, text);
        const PrecisionChoice choice = parsePrecision(text.toStdString());
        QCOMPARE(QString::fromStdString(toText(choice)), text);
        QVERIFY(precisionFromJson(toJson(choice), "test") == choice);
    }

    void askingNothingIsNoEntry() {
        QVERIFY(toJson(PrecisionChoice{}).is_null());
        QVERIFY(precisionFromJson(nullptr, "test") == PrecisionChoice{});
        QVERIFY(precisionFromJson(Json::object(), "test") == PrecisionChoice{});
    }

    void aComponentComesBeforeItsNode() {
        const PrecisionChoice choice = precisionFromJson(
            Json::parse(R"({"preset": "speed", "storage": "bf16", "compute": "bf16",
                            "components": {"denoiser": {"storage": "file"},
                                           "autoencoder": {"compute": "f32"}}})"),
            "node");
        QVERIFY(choice.typesOf("denoiser").storesAsInFile);
        QVERIFY(!choice.typesOf("denoiser").storage);
        QVERIFY(choice.typesOf("denoiser").compute == DType::BF16);
        QVERIFY(choice.typesOf("autoencoder").storage == DType::BF16);
        QVERIFY(choice.typesOf("autoencoder").compute == DType::F32);
        QVERIFY(choice.typesOf("text_encoder").compute == DType::BF16);
    }

    void refusesWithTheReason_data() {
        const testing::Rows<QString, QString> row("json", "reason");
        row("preset", R"("fast")", "there is no preset \"fast\"");
        row("storage", R"("balanced,storage=i8")", "not \"i8\"");
        row("unscaled byte", R"("balanced,storage=f8_e5m2")", "storage is file");
        row("compute in bytes", R"("balanced,compute=f8")", "compute is f32, f16 or bf16");
        row("no value", R"("balanced,compute")", "compute is f32, f16 or bf16");
        row("switch", R"("balanced,warp_speed=on")", "\"warp_speed\" is not understood");
        row("state of a switch", R"("balanced,tf32_matmul=maybe")", "on or off");
        row("key", R"({"weights": "f16"})", "\"weights\" is not understood");
        row("key of a component",
            R"({"components": {"denoiser": {"preset": "speed"}}})",
            "\"preset\" is not understood");
        row("switch in JSON", R"({"switches": {"tf32": true}})", "\"tf32\" is not understood");
        row("list", R"(["speed"])", "");
        row("number of a type", R"({"storage": 16})", "");
    }

    void refusesWithTheReason() {
        QFETCH(QString, json);
        QFETCH(QString, reason);
        try {
            static_cast<void>(precisionFromJson(Json::parse(json.toStdString()), "node a"));
            QFAIL("no error");
        } catch (const Error& error) {
            QVERIFY2(QString::fromStdString(error.message().str()).contains(reason),
                     error.message().str().c_str());
        }
    }
};

LOWTIDE_TEST(PrecisionTest)

}  // namespace precision_test

#include "precision_test.moc"
