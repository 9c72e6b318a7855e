#include "plugin/base/json.hpp"
#include "plugin/tensor/generator.hpp"
#include "tests/fixtures/python_golden.hpp"
#include "tests/fixtures/test_program.hpp"

#include <ATen/ATen.h>

#include <QtTest>

namespace lowtide::tensor::generator_test {

class GeneratorTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void drawsWhatTorchDraws_data() {
        QTest::addColumn<QString>("seed");
        const testing::PythonGolden golden(kScript);
        for (const Json& seed : parseJson(golden.text("seeds"), "seeds")) {
            const QString text = QString::fromStdString(seed.get<std::string>());
            QTest::newRow(qPrintable(text)) << text;
        }
    }

    void drawsWhatTorchDraws() {
        QFETCH(QString, seed);
        const testing::PythonGolden golden(kScript);
        NoiseGenerator generator(seed.toULongLong());
        size_t index = 0;
        for (const Json& shape : parseJson(golden.text("shapes"), "shapes")) {
            const at::Tensor drawn = generator.draw(shape.get<std::vector<int64_t>>());
            const std::string key = "noise." + seed.toStdString() + "." + std::to_string(index++);
            QVERIFY2(at::equal(drawn, golden.tensor(key)), key.c_str());
        }
    }

    void goesOnFromASavedState() {
        NoiseGenerator first(7);
        (void)first.draw({3});  // an odd count leaves a cached normal number behind
        const at::Tensor state = first.state();
        const at::Tensor expected = first.draw({5});
        NoiseGenerator second(99);
        second.setState(state);
        QVERIFY(at::equal(second.draw({5}), expected));
    }

    void savedStateDoesNotMoveWithTheGenerator() {
        NoiseGenerator generator(7);
        const at::Tensor state = generator.state();
        const at::Tensor first = generator.draw({20});
        generator.setState(state);
        QVERIFY(at::equal(generator.draw({20}), first));
    }

private:
    static constexpr const char* kScript = "tests/unit/tensor/make_tensor_goldens.py";
};

LOWTIDE_TEST(GeneratorTest)

}  // namespace lowtide::tensor::generator_test

#include "generator_test.moc"
