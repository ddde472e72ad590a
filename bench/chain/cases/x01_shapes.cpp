#include <cstdio>
#include <memory>
#include <vector>

// Shapes with areas; a drawing sums those that are visible.

class Shape {
public:
    explicit Shape(int layer) : layer_(layer) {}
    virtual ~Shape() = default;
    virtual int area() const = 0;
    int layer() const { return layer_; }

private:
    int layer_;
};

class Box : public Shape {
public:
    Box(int layer, int width, int height) : Shape(layer), width_(width), height_(height) {}
    int area() const override { return width_ * height_; }

private:
    int width_, height_;
};

class Square : public Box {
public:
    Square(int layer, int side) : Box(layer, side, side@{ + 1|}) {}
};

class Frame : public Shape {
public:
    Frame(int layer, std::unique_ptr<Shape> outer, std::unique_ptr<Shape> inner)
        : Shape(layer), outer_(std::move(outer)), inner_(std::move(inner)) {}
    int area() const override {
        int outside = outer_->area();
        int inside = inner_->area();
        if (inside > outside)
            return 0;
        return outside - inside;
    }

private:
    std::unique_ptr<Shape> outer_, inner_;
};

class Drawing {
public:
    void add(std::unique_ptr<Shape> shape) { shapes_.push_back(std::move(shape)); }
    int visible(int lowest) const {
        int total = 0;
        for (const auto &shape : shapes_)
            if (shape->layer() >= lowest)
                total += shape->area();
        return total;
    }

private:
    std::vector<std::unique_ptr<Shape>> shapes_;
};

int main() {
    Drawing drawing;
    drawing.add(std::make_unique<Box>(0, 2, 3));
    drawing.add(std::make_unique<Frame>(1, std::make_unique<Box>(0, 4, 5), std::make_unique<Square>(0, 4)));
    drawing.add(std::make_unique<Box>(2, 1, 1));
    int area = drawing.visible(1);
    std::printf("%d\n", area);
    return 0;
}
