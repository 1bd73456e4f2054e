//! Square matrices, as far as ratings need them.

/// A square matrix by rows.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Matrix {
    pub(crate) size: usize,
    cells: Vec<f64>,
}

impl Matrix {
    /// All cells the same.
    pub(crate) fn filled(size: usize, value: f64) -> Self {
        Self { size, cells: vec![value; size * size] }
    }

    pub(crate) fn get(&self, row: usize, column: usize) -> f64 {
        self.cells[row * self.size + column]
    }

    pub(crate) fn add(&mut self, row: usize, column: usize, value: f64) {
        self.cells[row * self.size + column] += value;
    }

    /// Adds `value` times (eᵢ − eⱼ)(eᵢ − eⱼ)ᵀ.
    pub(crate) fn tie(&mut self, i: usize, j: usize, value: f64) {
        self.add(i, i, value);
        self.add(j, j, value);
        self.add(i, j, -value);
        self.add(j, i, -value);
    }

    /// The product with another of the same size.
    pub(crate) fn times(&self, other: &Self) -> Self {
        let mut product = Self::filled(self.size, 0.0);
        for row in 0..self.size {
            for middle in 0..self.size {
                let factor = self.get(row, middle);
                for column in 0..self.size {
                    product.add(row, column, factor * other.get(middle, column));
                }
            }
        }
        product
    }

    /// The inverse of a symmetric positive definite matrix (Gauss and Jordan); `None` if it is
    /// none.
    pub(crate) fn inverse(mut self) -> Option<Self> {
        let size = self.size;
        for pivot in 0..size {
            let divisor = self.get(pivot, pivot);
            if divisor.is_nan() || divisor <= 0.0 || divisor.is_infinite() {
                return None;
            }
            self.cells[pivot * size + pivot] = 1.0;
            for column in 0..size {
                self.cells[pivot * size + column] /= divisor;
            }
            for row in (0..size).filter(|&row| row != pivot) {
                let factor = std::mem::take(&mut self.cells[row * size + pivot]);
                if factor != 0.0 {
                    for column in 0..size {
                        let value = self.get(pivot, column);
                        self.cells[row * size + column] -= factor * value;
                    }
                }
            }
        }
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inverse_is_one() {
        let mut matrix = Matrix::filled(4, 0.25);
        for (i, j, value) in [(0, 1, 2.0), (1, 2, 0.5), (2, 3, 7.0), (0, 3, 1.0)] {
            matrix.tie(i, j, value);
        }
        let unit = matrix.times(&matrix.clone().inverse().unwrap());
        for row in 0..4 {
            for column in 0..4 {
                let wanted = f64::from(u8::from(row == column));
                assert!((unit.get(row, column) - wanted).abs() < 1e-12);
            }
        }
        assert_eq!(Matrix::filled(3, 0.0).inverse(), None);
    }
}
